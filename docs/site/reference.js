// Draws the API reference of one audience with Swagger UI.
const place = document.getElementById('reference');

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
followScheme();
dark.addEventListener('change', followScheme);

SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  // Without the bar of Swagger UI, whose logo brings an inline style that the policy refuses.
  layout: 'BaseLayout',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // Swagger UI would show the document to a validator on the internet.
  validatorUrl: 'none',
});
