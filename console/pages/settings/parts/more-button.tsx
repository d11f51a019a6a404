// The end of a list that is read page by page.
import { ErrorNote } from '../../../parts/broken.tsx';
import { Button } from '../../../parts/button.tsx';
import { settingsTexts } from '../../../text/settings-texts.ts';

interface Props {
  readonly found: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: unknown;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

export function MoreButton({ found }: Props) {
  const read = () => void found.fetchNextPage();
  if (found.isFetchNextPageError) return <ErrorNote error={found.error} onRetry={read} />;
  if (!found.hasNextPage) return null;
  return (
    <Button look="quiet" className="more-button" disabled={found.isFetchingNextPage} onClick={read}>
      {found.isFetchingNextPage ? settingsTexts.loadingMore : settingsTexts.more}
    </Button>
  );
}
