// Facts that follow from an object type alone are worked out once for each type: they are asked for with every record.
// They go with the type, which goes with its catalog.
import type { ObjectType } from './object-type.ts';

export function perType<Fact extends object>(workOut: (type: ObjectType) => Fact): (type: ObjectType) => Fact {
  const facts = new WeakMap<ObjectType, Fact>();
  return (type) => {
    let fact = facts.get(type);
    if (fact === undefined) {
      fact = workOut(type);
      facts.set(type, fact);
    }
    return fact;
  };
}
