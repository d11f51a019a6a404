// The initials of a person or company.
/** The first letters of the first and the last word of a name. Nobody gets a colour: it would mean nothing. */
export function Avatar({ name, shape = 'round' }: { readonly name: string; readonly shape?: 'round' | 'square' }) {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('');
  return (
    <span className={`avatar ${shape}`} aria-hidden="true">
      {letters.toUpperCase()}
    </span>
  );
}
