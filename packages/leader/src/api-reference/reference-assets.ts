/** Style of the reference page: system fonts, both colour schemes, from a phone's width up. */
export const referenceStyle = `
:root { color-scheme: light dark; --line: #d5d9e0; --soft: #f4f6f9; --text: #1b2430; --faint: #566072; --link: #0b57b7; }
@media (prefers-color-scheme: dark) {
  :root { --line: #38404d; --soft: #1d222b; --text: #e5e9f0; --faint: #a4aebd; --link: #7fb3ff; }
  body { background: #14181f; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 64rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); overflow-wrap: anywhere; }
a { color: var(--link); }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: 0.75rem; background: var(--soft); border: 1px solid var(--line); border-radius: 0.375rem; overflow-x: auto; white-space: pre-wrap; }
.search { position: sticky; top: 0; padding: 0.5rem 0; background: Canvas; border-bottom: 1px solid var(--line); }
@media (prefers-color-scheme: dark) { .search { background: #14181f; } }
.search input { width: 100%; padding: 0.5rem 0.75rem; font: inherit; color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: 0.375rem; }
.search p, .note { margin: 0.25rem 0 0; color: var(--faint); font-size: 0.875rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; list-style: none; }
article { margin: 1rem 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 0.5rem; scroll-margin-top: 8rem; }
article:target { border-color: var(--link); }
h2, h3 { scroll-margin-top: 8rem; }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { margin: 1rem 0 0.25rem; font-size: 0.9375rem; }
.method { display: inline-block; min-width: 4.25rem; margin-right: 0.5rem; padding: 0 0.375rem; border-radius: 0.25rem; text-align: center; font: 600 0.8125rem/1.6 ui-monospace, monospace; color: #fff; background: #4a5568; }
.method.get { background: #1d5fa8; } .method.post { background: #21703c; } .method.put { background: #8a5300; }
.method.patch { background: #6b4aa0; } .method.delete { background: #b3261e; }
.tag { margin-left: 0.375rem; padding: 0 0.375rem; border: 1px solid var(--line); border-radius: 0.25rem; font-size: 0.8125rem; font-weight: 400; color: var(--faint); }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
th, td { padding: 0.25rem 0.5rem 0.25rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
thead th { border-top: 0; color: var(--faint); font-weight: 500; }
summary { cursor: pointer; color: var(--link); }
[hidden] { display: none; }
`;

/** Filters the routes by the text in the search box; without scripts the page shows all routes. */
export const referenceScript = `
const box = document.getElementById('search');
const count = document.getElementById('count');
const routes = [...document.querySelectorAll('article[data-words]')];
const groups = [...document.querySelectorAll('section[data-group]')];
function filter() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const route of routes) {
    route.hidden = !words.every((word) => route.dataset.words.includes(word));
    if (!route.hidden) shown += 1;
  }
  for (const group of groups) group.hidden = !group.querySelector('article:not([hidden])');
  count.textContent = shown + ' of ' + routes.length + ' routes';
}
function openTarget() {
  const details = document.querySelector('article:target details');
  if (details) details.open = true;
}
box.addEventListener('input', filter);
window.addEventListener('hashchange', openTarget);
for (const address of document.querySelectorAll('.origin')) address.textContent = location.origin;
filter();
openTarget();
`;
