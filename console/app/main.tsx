// Starts the console: the session first, then what the caller may see.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import '../style/tokens.css';
import '../style/base.css';
import '../style/controls.css';
import '../style/floating.css';
import '../style/frame.css';
import { isSessionOver } from '../data/api.ts';
import { Broken } from '../parts/broken.tsx';
import { Starting } from '../parts/loading.tsx';
import { Toasts } from '../parts/toasts.tsx';
import type { SignedIn } from './auth.ts';
import { Entrance, SignInAgain } from './entrance.tsx';
import { Frame } from './frame.tsx';
import { startSession, useSession } from './session.ts';
import { applyTheme } from './theme.ts';

function newQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // The client repeats what is worth repeating.
        retry: false,
        refetchOnWindowFocus: 'always',
        // What is on screen stays there if reading it again fails.
        throwOnError: (error, { state }) => !isSessionOver(error) && state.data === undefined,
      },
    },
  });
}

function App() {
  const session = useSession();
  if (session.phase === 'starting') return <Starting />;
  if (session.phase !== 'signed-in') return <Entrance session={session} />;
  const { who, ended } = session;
  return (
    <>
      <SignedInApp key={`${who.org_id} ${who.member.id}`} who={who} isEnded={ended !== undefined} />
      {ended !== undefined && <SignInAgain notice={ended} who={who} />}
    </>
  );
}

/** Another person, or another org, sees nothing of what was read before. */
function SignedInApp({ who, isEnded }: { readonly who: SignedIn; readonly isEnded: boolean }) {
  const [queries] = useState(newQueries);
  // After signing in again everything is read anew.
  useEffect(() => {
    if (!isEnded) void queries.invalidateQueries();
  }, [queries, isEnded]);
  return (
    <QueryClientProvider client={queries}>
      <Broken>
        <Suspense fallback={<Starting />}>
          <Frame who={who} />
        </Suspense>
      </Broken>
      <Toasts />
    </QueryClientProvider>
  );
}

applyTheme();
const place = document.getElementById('app');
if (place === null) throw new Error('The page has no place for the console.');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
addEventListener('hashchange', () => {
  if (/[#&](link|sign-in)=/.test(location.hash)) void startSession();
});
void startSession();
