// Plays generated steps on links against a service and compares each answer, and now and then the whole org, with the
// model. It needs a way to send requests to a new org with `linksSchema`, a seed and a number of steps, and no test
// runner; it returns a list of findings, each a sentence.

import { Random } from '../random.ts';
import { checkFindings, type Extent, type LinkCheck } from './check.ts';
import { LinkSteps } from './random.ts';
import { listAll } from './read.ts';
import { LinksReplay, ownValues } from './replay.ts';
import { Binding, judge, requestOf, type Send } from './requests.ts';
import { LinkState } from './state.ts';
import { isPlayable, predict, type Step, stepText } from './steps.ts';
import { associationsFrom, pipelineOf, worldTypes } from './world.ts';

interface LinksRun {
  readonly send: Send;
  readonly seed: number;
  /** How many steps: requests, of which some are batches. */
  readonly count: number;
  /** How often all is read and compared, the end included; 5 by default. */
  readonly checks?: number;
  /** Called with each step before it is played. */
  readonly onStep?: (step: Step) => void;
}

/** Plays to the end, or to the first step or check that has findings. */
export async function findLinkFaults(run: LinksRun): Promise<readonly string[]> {
  const { send, seed, count, checks = 5 } = run;
  const play = await LinksPlay.open(send, seed);
  const steps = new LinkSteps(new Random(seed));
  const every = Math.max(1, Math.ceil(count / checks));
  for (let index = 1; index <= count; index++) {
    const step = steps.next(play.state);
    run.onStep?.(step);
    const findings = [...(await play.step(step))];
    if (findings.length === 0 && index === count) findings.push(...(await play.check('all')));
    else if (findings.length === 0 && index % every === 0) findings.push(...(await play.check('some')));
    if (findings.length > 0) return findings.map((finding) => `seed ${seed}, step ${index}: ${finding}`);
  }
  return [];
}

/** Plays these steps, as far as the records that they name are there, and then reads all. */
export async function playLinkSteps(send: Send, steps: readonly Step[]): Promise<readonly string[]> {
  const play = await LinksPlay.open(send, 1);
  for (const step of steps) {
    const findings = isPlayable(play.state, step) ? await play.step(step) : [];
    if (findings.length > 0) return findings;
  }
  return play.check('all');
}

class LinksPlay {
  state = new LinkState();
  readonly #check: LinkCheck;

  private constructor(send: Send, seed: number) {
    const binding = new Binding();
    const replay = new LinksReplay(binding);
    this.#check = { send, binding, replay, random: new Random(seed + 1), seen: new Map(), dates: new Map() };
  }

  /** With what a new org has from the start. */
  static async open(send: Send, seed: number): Promise<LinksPlay> {
    const play = new LinksPlay(send, seed);
    const { binding } = play.#check;
    const pipelines: { readonly label: string; readonly association: string; readonly id: string }[] = [];
    for (const type of Object.keys(worldTypes)) {
      const include = associationsFrom(type).filter((name) => pipelineOf.includes(name));
      for (const { id, version, properties, associations = {} } of await listAll(send, type, 500, include)) {
        const label = `${type.replace(/^svc_/, '')}-${String(properties['svc_name']).toLowerCase()}`;
        binding.bind(label, id);
        const born = play.state.count;
        play.state.put({ label, type, born, version: Number(version), live: true, values: ownValues(properties) });
        for (const [association, { items }] of Object.entries(associations)) {
          pipelines.push(...items.map((item) => ({ label, association, id: item.id })));
        }
      }
    }
    for (const { label, association, id } of pipelines) {
      play.state.add({ association, source: label, target: binding.label(id), joined: false, since: 1 });
    }
    return play;
  }

  async step(step: Step): Promise<readonly string[]> {
    const { send, binding } = this.#check;
    const prediction = predict(this.state, step);
    const reply = await send(requestOf(binding, step, prediction));
    const findings = judge(binding, step, prediction, reply);
    this.state = prediction.after;
    return findings.map((finding) => `${stepText(step)}: ${finding}`);
  }

  check(extent: Extent): Promise<readonly string[]> {
    return checkFindings(this.#check, this.state, extent);
  }
}
