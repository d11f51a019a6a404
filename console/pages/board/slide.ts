// A card that has moved slides from where it was to where it is, so that the eye can follow it.
import { type RefObject, useLayoutEffect } from 'react';

interface Place {
  readonly left: number;
  readonly top: number;
  readonly column: string;
}

/** Where the cards of the board were last. */
const places = new Map<string, Place>();
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const slideMs = 160;

export function useSlide(card: RefObject<HTMLElement | null>, id: string, column: string): void {
  useLayoutEffect(() => {
    const element = card.current;
    if (element === null) return;
    const { left, top } = element.getBoundingClientRect();
    const before = places.get(id);
    places.set(id, { left, top, column });
    // Within a column cards make room at once.
    if (before === undefined || before.column === column || calm.matches) return;
    const from = `translate(${before.left - left}px, ${before.top - top}px)`;
    element.animate([{ transform: from }, { transform: 'none' }], { duration: slideMs, easing: 'ease-out' });
  });
}

export function forgetPlaces(): void {
  places.clear();
}
