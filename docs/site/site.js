// Search over all guides, and a button that copies a sample. Everything comes from the service itself.
const field = document.getElementById('search');
const found = document.getElementById('found');
const MOST = 12;
let index;
/** Decisions and the changelog tell what was; guides tell what is. */
const options = {
  prefix: true,
  fuzzy: 0.15,
  combineWith: 'AND',
  boost: { page: 3, section: 2 },
  boostDocument: (id) => (/^\/docs\/(adr|changelog|problems\/)/.test(id) ? 0.4 : 1),
};

/** The index of all pages, fetched when the reader begins to search: it is some hundred kilobytes. */
async function load() {
  index ??= fetch('/docs/search.json')
    .then((answer) => answer.text())
    .then((json) => MiniSearch.loadJSON(json, { fields: ['page', 'section', 'text'] }));
  return index;
}

async function search() {
  const asked = field.value.trim();
  const results = asked === '' ? [] : (await load()).search(asked, options);
  if (asked !== field.value.trim()) return;
  const entries = results.slice(0, MOST).map(({ id, page, section, start }) => {
    const link = document.createElement('a');
    link.href = id;
    const title = document.createElement('b');
    title.textContent = section === '' ? page : `${page}: ${section}`;
    link.append(title, ` ${start}`);
    const item = document.createElement('li');
    item.append(link);
    return item;
  });
  if (asked !== '' && entries.length === 0) {
    const nothing = document.createElement('li');
    nothing.textContent = 'Nothing has all of these words.';
    entries.push(nothing);
  }
  found.replaceChildren(...entries);
  found.hidden = entries.length === 0;
}

document.getElementById('search-form').hidden = false;
field.addEventListener('focus', () => void load());
field.addEventListener('input', () => void search());
document.getElementById('search-form').addEventListener('submit', (event) => {
  event.preventDefault();
  found.querySelector('a')?.click();
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select') !== null;
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === 'Escape') {
    field.value = '';
    void search();
  }
});

for (const sample of document.querySelectorAll('article pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    // The browser gives no clipboard to http beyond this machine: the sample is selected instead.
    try {
      await navigator.clipboard.writeText(sample.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(sample);
      button.textContent = 'Selected';
    }
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  });
  const frame = document.createElement('div');
  frame.className = 'sample';
  sample.before(frame);
  frame.append(sample, button);
}
