// What a violation that Prism reports means. The answers of the service must always be as the document says. A request that
// is not as the document says must be refused, and so must an item of a batch: requests that tests send malformed on purpose
// are no finding as long as they are.

/** `came` is what the proxy answered: its status and its list of violations. */
export function findingsOf({ answered }, came) {
  if (came.status !== answered.status) return [`the proxy answered ${came.status}: ${came.text.slice(0, 500)}`];
  return violationsIn(came.violations).flatMap(({ location, message }) => {
    const [part, ...place] = location;
    const isRefused = part === 'request' && refusal(place, answered) >= 400;
    return isRefused ? [] : [`${location.join('.')}: ${message}`];
  });
}

/** A list that is too long for a header is cut off by Prism; the places are still to be read in what is left. */
function violationsIn(text) {
  if (text === '') return [];
  if (text.startsWith('[')) return JSON.parse(text);
  const places = [...text.matchAll(/"location":(\["(?:[^"\\]|\\.|",")*"\])/g)];
  if (places.length === 0) throw new Error(`Prism reported violations in another form: ${text.slice(0, 200)}`);
  return places.map(([, location]) => ({ location: JSON.parse(location), message: 'one of many violations' }));
}

/** The status with which the place of a request was answered: its item's in a batch, otherwise that of the answer. */
function refusal([where, list, item], { status, body }) {
  if (status !== 207 || where !== 'body' || list !== 'operations') return status;
  const { data } = JSON.parse(body);
  return data.results[Number(item)]?.status ?? status;
}
