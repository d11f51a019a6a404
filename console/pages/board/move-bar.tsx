// Says which keys move the card that was picked up.
import { Key } from '../../parts/button.tsx';
import { texts } from '../../text/texts.ts';

export function MoveBar({ title, target }: { readonly title: string; readonly target: string }) {
  return (
    <div className="move-bar" role="status">
      <span>
        {texts.move} <b>{title}</b> {texts.to} <b>{target}</b>
      </span>
      <span className="keys">
        <Key>←</Key>
        <Key>→</Key> {texts.stage}
        <Key>Enter</Key> {texts.drop}
        <Key>Esc</Key> {texts.putBackCard}
      </span>
    </div>
  );
}
