// A request to /auth: posted as JSON, and only the cookie of this browser comes along. One may be sent before anybody waits
// for its answer.

let early: { readonly path: string; readonly answer: Promise<Response> } | undefined;

/** Whoever asks for the same next gets this answer. */
export function askEarly(path: string): void {
  const answer = ask(path, {});
  // Whoever asks hears of the failure.
  answer.catch(() => undefined);
  early = { path, answer };
}

export function ask(path: string, body: object, bearer?: string): Promise<Response> {
  const asked = early;
  early = undefined;
  if (asked?.path === path) return asked.answer;
  return fetch(`/auth/${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
    credentials: 'same-origin',
  });
}
