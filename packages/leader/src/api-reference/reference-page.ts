import { createHash } from 'node:crypto';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, OpenApiResponse } from '@lcs/contract';
import { type Html, html, rawHtml } from './html.ts';
import { referenceScript, referenceStyle } from './reference-assets.ts';
import { exampleOf, schemaShape, schemaType } from './reference-schema.ts';

/** One route on the page. */
interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

const anchor = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const entriesOf = (document: OpenApiDocument): readonly Entry[] =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

function parameterTable(title: string, parameters: readonly OpenApiParameter[]): Html {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(
    ({ name, required, schema, description }) => html`
<tr><th scope="row"><code>${name}</code>${required ? '' : html` <span class="note">optional</span>`}</th>
<td><code>${schemaType(schema)}</code></td><td>${description}</td></tr>`,
  );
  return html`<h4>${title}</h4>
<table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

const isError = (status: string): boolean => Number(status) >= 400;

function answer(status: string, response: OpenApiResponse): Html {
  const contents = Object.entries(response.content).map(
    ([type, { schema }]) =>
      html`${type === 'application/json' ? '' : html`<p class="note">${type}</p>`}${schemaShape(schema)}`,
  );
  return html`<h4>Answer ${status}: ${response.description}</h4>${contents}`;
}

function errorTable(responses: OpenApiOperation['responses']): Html {
  const rows = Object.entries(responses)
    .filter(([status]) => isError(status))
    .map(([status, { description }]) => html`<tr><th scope="row">${status}</th><td>${description}</td></tr>`);
  return html`<h4>Errors</h4>
<table><thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table>`;
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curlExample({ method, path, operation }: Entry, document: OpenApiDocument): Html {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query' && parameter.required);
  const search = query.map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema, document)))}`);
  const body = operation.requestBody?.content['application/json'];
  const data = body
    ? ` \\\n  -H 'content-type: application/json' \\\n  -d ${shellQuote(JSON.stringify(exampleOf(body.schema, document)))}`
    : '';
  const target = `${address}${search.length > 0 ? `?${search.join('&')}` : ''}`;
  const verb = method === 'GET' ? '' : `-X ${method} `;
  return html`<h4>Example</h4><pre><code>curl ${verb}'<span class="origin">http://127.0.0.1:4999</span>${target}'${data}</code></pre>`;
}

function routeArticle(entry: Entry, document: OpenApiDocument): Html {
  const { method, path, operation } = entry;
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  const id = `route-${operationId}`;
  const searchText = [method, path, operationId, summary, operation['x-permission']].join(' ').toLowerCase();
  const body = requestBody?.content['application/json'];
  const successes = Object.entries(responses).filter(([status]) => !isError(status));
  const notes = [
    ...(operation['x-origin'] === 'extension' ? ['extension'] : []),
    ...(operation.deprecated ? ['deprecated'] : []),
  ];
  return html`<article id="${id}" data-words="${searchText}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span><code>${path}</code></a>${notes.map(
    (note) => html`<span class="tag">${note}</span>`,
  )}</h3>
<p>${summary}</p>${operation.description ? html`<p>${operation.description}</p>` : ''}
<details><summary>Details of ${operationId}</summary>
<p class="note">Permission: <code>${operation['x-permission']}</code></p>
${parameterTable(
  'Path',
  parameters.filter((parameter) => parameter.in === 'path'),
)}${parameterTable(
  'Query',
  parameters.filter((parameter) => parameter.in === 'query'),
)}${body ? html`<h4>Body${requestBody?.required ? '' : ' (optional)'}</h4>${schemaShape(body.schema)}` : ''}${successes.map(
  ([status, response]) => answer(status, response),
)}${errorTable(responses)}${curlExample(entry, document)}
</details></article>
`;
}

function groupSection(tag: string, entries: readonly Entry[], document: OpenApiDocument): Html {
  return html`<section data-group aria-labelledby="group-${anchor(tag)}">
<h2 id="group-${anchor(tag)}">${tag}</h2>
${entries.map((entry) => routeArticle(entry, document))}</section>
`;
}

function schemaSections(document: OpenApiDocument): Html {
  const articles = Object.entries(document.components.schemas).map(
    ([name, schema]) => html`<article id="schema-${name}" aria-labelledby="schema-${name}-title">
<h3 id="schema-${name}-title"><code>${name}</code></h3>${
      typeof schema.description === 'string' ? html`<p>${schema.description}</p>` : ''
    }${schemaShape(schema)}</article>
`,
  );
  return html`<section aria-labelledby="shapes"><h2 id="shapes">Shapes</h2>${articles}</section>`;
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page has its own style and script, and loads nothing. */
export const referencePolicy = (): string =>
  `default-src 'none'; style-src ${hashOf(referenceStyle)}; script-src ${hashOf(referenceScript)}; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The reference of an API as one self-contained HTML page; made once per document. */
export function referencePage(document: OpenApiDocument): string {
  const { title, version, description } = document.info;
  const byTag = Map.groupBy(entriesOf(document), ({ operation }) => operation.tags[0] ?? '');
  const links = [...byTag.keys()].map((tag) => html`<li><a href="#group-${anchor(tag)}">${tag}</a></li>`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} ${version}</title>
<style>${rawHtml(referenceStyle)}</style>
</head>
<body>
<header><h1>${title} <span class="tag">${version}</span></h1>${description ? html`<p>${description}</p>` : ''}</header>
<div class="search" role="search"><label for="search">Search routes</label>
<input id="search" type="search" placeholder="for example: workers PUT" autocomplete="off"><p id="count" role="status"></p></div>
<nav aria-label="Groups"><ul>${links}<li><a href="#shapes">Shapes</a></li></ul></nav>
<main>
${[...byTag].map(([tag, entries]) => groupSection(tag, entries, document))}${schemaSections(document)}
</main>
<script>${rawHtml(referenceScript)}</script>
</body>
</html>
`.text;
}
