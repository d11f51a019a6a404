// What is shown while something is read: grey bars in the place of what comes, and nothing that turns.
import { texts } from '../text/texts.ts';

export function Starting() {
  return (
    <div className="starting" role="status">
      <span className="sr-only">{texts.loading}</span>
    </div>
  );
}

export function Bars({ count = 8 }: { readonly count?: number }) {
  return (
    <div className="bars" role="status">
      <span className="sr-only">{texts.loading}</span>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike.
        <span key={index} className="bar-grey" style={{ inlineSize: `${60 + ((index * 37) % 35)}%` }} />
      ))}
    </div>
  );
}
