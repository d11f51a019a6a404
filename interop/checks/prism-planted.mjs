// Faults that are planted in copies of real exchanges, because a proxy that finds nothing may have looked at nothing.

/** Each with the name of its fault. */
export function plantedFaults(exchanges) {
  const created = exchanges.find(
    ({ asked, answered }) => asked.path === '/objects/svc_contact/records/' && answered.status === 201,
  );
  const partly = exchanges.find(({ asked, answered }) => asked.path === '/batch/' && answered.status === 207);
  if (created === undefined || partly === undefined) throw new Error('The tests create no contact, or send no batch.');
  const data = JSON.parse(created.answered.body);
  const batch = JSON.parse(partly.answered.body);
  const answer = (change) => ({ ...created, answered: { ...created.answered, ...change } });
  const headers = created.answered.headers;
  const lax = batch.data.results.map((result) => ({ ...result, status: 200, problem: undefined }));
  return [
    { fault: 'a missing member', ...answer({ body: JSON.stringify({ data: data.data }) }) },
    { fault: 'a member of another type', ...answer({ body: JSON.stringify({ ...data, request_id: 5 }) }) },
    { fault: 'an undeclared status', ...answer({ status: 202 }) },
    { fault: 'another media type', ...answer({ headers: withHeader(headers, 'content-type', 'text/plain') }) },
    { fault: 'a header of another form', ...answer({ headers: withHeader(headers, 'ratelimit', 'many') }) },
    { fault: 'a bad request that succeeds', ...created, asked: { ...created.asked, body: '{"property":{}}' } },
    { fault: 'a request without a key that succeeds', ...created, asked: { ...created.asked, headers: json } },
    {
      fault: 'a bad item that succeeds',
      asked: {
        ...partly.asked,
        body: JSON.stringify({ operations: batch.data.results.map(() => ({ operation: 'x' })) }),
      },
      answered: { ...partly.answered, body: JSON.stringify({ ...batch, data: { ...batch.data, results: lax } }) },
    },
  ];
}

const json = [['content-type', 'application/json']];

function withHeader(headers, name, value) {
  return headers.map(([each, before]) => [each, each === name ? value : before]);
}
