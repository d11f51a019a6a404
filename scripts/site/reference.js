// Shows the OpenAPI document of this service. A key that the reader types stays in the memory of the page and is sent
// only to this origin, which the page's policy also enforces.
/* global SwaggerUIBundle */
const place = document.getElementById('reference');
const dark = matchMedia('(prefers-color-scheme: dark)');

function follow() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

async function show() {
  const response = await fetch('/rest/v1/openapi.json');
  if (!response.ok) throw new Error(`The OpenAPI document could not be loaded (status ${response.status}).`);
  const spec = await response.json();
  spec.servers = [{ url: '/rest/v1' }];
  SwaggerUIBundle({
    spec,
    domNode: place,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    persistAuthorization: false,
    validatorUrl: null,
    withCredentials: false,
  });
}

dark.addEventListener('change', follow);
follow();
show().catch((error) => {
  place.textContent = `${error.message} Wait a minute, then reload this page.`;
});
