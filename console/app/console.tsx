// The console itself: the session first, then what the caller may see.
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type ReactNode, StrictMode, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { isSessionOver } from '../data/api.ts';
import { feedBegun, followFeed } from '../data/live.ts';
import { catalogQuery, typeQuery } from '../data/schema.ts';
import { forgetEarly } from '../data/use-rows.ts';
import { Broken } from '../parts/broken.tsx';
import { Starting } from '../parts/loading.tsx';
import { Toasts } from '../parts/toasts.tsx';
import type { SignedIn } from './auth.ts';
import { Entrance, SignInAgain } from './entrance.tsx';
import { Frame } from './frame.tsx';
import { loadPage, placeOf } from './pages.tsx';
import { paths } from './routes.ts';
import { startSession, useSession } from './session.ts';
import { applyTheme } from './theme.ts';

/** What every page needs, and the type that the address names, are asked for at once. */
function newQueries(): QueryClient {
  const queries = new QueryClient({
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
  void queries.prefetchQuery(catalogQuery);
  forgetEarly();
  // The page itself shows the error if something cannot be read.
  askForPage(queries).catch(() => undefined);
  return queries;
}

async function askForPage(queries: QueryClient): Promise<void> {
  const { page, type } = placeOf(location.pathname);
  if (page === 'home') {
    const isMine = new URLSearchParams(location.search).get('whose') === 'mine';
    await (await import('../pages/home/ask-ahead.ts')).askAhead(queries, isMine);
  }
  if (type === undefined) return;
  const detail = queries.ensureQueryData(typeQuery(type));
  if (page === 'table') (await import('../pages/table/table-question.ts')).askEarly(await detail);
}

/** Home is where people come back to: its program, and what it is drawn from, are read while there is nothing else to do. */
async function readHomeAhead(queries: QueryClient): Promise<void> {
  await feedBegun;
  await isIdle(queries);
  loadPage(paths.home());
  await (await import('../pages/home/ask-ahead.ts')).readTypesAhead(queries);
}

/** On a busy machine a browser may always have something to draw. In milliseconds. */
const idleMsMost = 2_000;

/** Waits until nothing is read, and the browser has nothing to draw. */
async function isIdle(queries: QueryClient): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (queries.isFetching() > 0) return;
      stop();
      resolve();
    };
    const stop = queries.getQueryCache().subscribe(look);
    look();
  });
  // Not every browser has the callback.
  await new Promise<void>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: idleMsMost });
    else setTimeout(resolve);
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
  // After signing in again, everything is read again.
  useEffect(() => {
    if (!isEnded) void queries.invalidateQueries();
  }, [queries, isEnded]);
  useEffect(() => {
    // Home tells by itself what it cannot read.
    readHomeAhead(queries).catch(() => undefined);
  }, [queries]);
  return (
    <QueryClientProvider client={queries}>
      <Broken>
        <Suspense fallback={<Starting />}>
          <Known>
            <Frame who={who} />
          </Known>
        </Suspense>
      </Broken>
      <Toasts />
    </QueryClientProvider>
  );
}

/** Nothing can be drawn before it is known what the caller may see. */
function Known({ children }: { readonly children: ReactNode }) {
  useEffect(followFeed, []);
  return useQuery(catalogQuery).data === undefined ? <Starting /> : children;
}

applyTheme();
loadPage(location.pathname);
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
