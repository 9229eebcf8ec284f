import {
  type Api,
  commonErrors,
  type LiveEventName,
  leaderApi,
  liveEventPermissions,
  liveEvents,
  type OpenApiOperation,
  type OpenApiSchema,
  openApiDocument,
  permissions,
  type RouteDeclaration,
  unitApi,
} from '@lcs/contract';
import { SchemaComponents } from '../../packages/contract/src/schema-components.ts';
import { anchorOf, code, page, table } from './markdown.ts';
import { fieldRows, propertiesOf, typeText } from './schema-text.ts';

const api: Api = { ...leaderApi, ...unitApi };
const document = openApiDocument({ title: 'LCS', version: '', api });

interface DocumentedRoute {
  readonly operationId: string;
  readonly declaration: RouteDeclaration;
  readonly operation: OpenApiOperation;
}

const routes: readonly DocumentedRoute[] = Object.entries(api).flatMap(([operationId, declaration]) => {
  const operation = document.paths[declaration.path]?.[declaration.method.toLowerCase()];
  return operation === undefined ? [] : [{ operationId, declaration, operation }];
});

const byTag = Map.groupBy(routes, ({ declaration }) => declaration.tag);
const fileOf = (tag: string): string => `routes/${anchorOf(tag)}.md`;
const headingOf = ({ declaration: { method, path } }: DocumentedRoute): string => `${method} ${path}`;
const fieldHead = ['field', 'type', 'meaning'];

/** The text without a full stop at its end, as a sentence. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function contentText(content: Readonly<Record<string, { readonly schema: OpenApiSchema }>>, shapes: string): string {
  return Object.entries(content)
    .map(([type, { schema }]) =>
      type.startsWith('application/json') ? typeText(schema, shapes) : `${code(type)} ${typeText(schema, shapes)}`,
    )
    .join(' or ');
}

function bodyTable({ requestBody }: OpenApiOperation, shapes: string): readonly string[] {
  if (requestBody === undefined) return [];
  return Object.entries(requestBody.content).map(([type, { schema }]) =>
    typeof schema.$ref === 'string'
      ? `Body: ${typeText(schema, shapes)}.`
      : `Body, ${code(type)}:\n\n${table(fieldHead, fieldRows(schema, shapes))}`,
  );
}

function answers({ responses }: OpenApiOperation, shapes: string): string {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return successes
    .map(([status, { description, content }]) => `${status} ${contentText(content, shapes)}: ${sentence(description)}`)
    .join(' ');
}

function routeSection(route: DocumentedRoute): string {
  const { declaration, operation, operationId } = route;
  const shapes = '../shapes.md';
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const query = table(
    ['query', 'type', 'meaning'],
    parameters.map(({ name, required, schema, description = '' }) => {
      const preset = schema.default === undefined ? '' : ` Default ${code(String(schema.default))}.`;
      const type = `${typeText(schema, shapes)}${required ? '' : ', optional'}`;
      return [code(name), type, `${description === '' ? '' : sentence(description)}${preset}`.trim()];
    }),
  );
  const errors = declaration.errors.map((each) => `[${each}](../errors.md#${each})`);
  const cache = typeof declaration.cache === 'number' ? `private, max-age=${declaration.cache}` : declaration.cache;
  const facts = [
    `Operation ${code(operationId)}`,
    `permission [${declaration.permission}](../permissions.md)`,
    `cache ${code(cache)}`,
    ...(declaration.origin === 'extension' ? ['extension of the specification'] : []),
    ...(declaration.deprecated ? ['deprecated'] : []),
  ];
  return [
    `## ${headingOf(route)}`,
    sentence(operation.summary) + (operation.description === undefined ? '' : ` ${operation.description}`),
    sentence(facts.join(', ')),
    ...(parameters.length > 0 ? [query] : []),
    ...bodyTable(operation, shapes),
    `Answer: ${answers(operation, shapes)}`,
    ...(errors.length > 0 ? [`Errors: ${errors.join(', ')}.`] : []),
  ].join('\n\n');
}

const contract = '`packages/contract`';

function tagPages(): readonly (readonly [string, string])[] {
  return [...byTag].map(([tag, ofTag]) => [
    fileOf(tag),
    page(`Routes: ${tag}`, `${contract} (\`src/routes\`)`, ofTag.map(routeSection)),
  ]);
}

function routeIndex(): string {
  const common = commonErrors.map((each) => `[${each}](errors.md#${each})`).join(', ');
  const rules = [
    'Routes below `/api` are served by the leader, routes below `/unit_api` by every node or by units.',
    `Every route may also answer with: ${common}. A route with a query may answer [invalid_query](errors.md#invalid_query),`,
    'a route with a body [invalid_body](errors.md#invalid_body) and [unsupported_media_type](errors.md#unsupported_media_type).',
  ].join('\n');
  const sections = [...byTag].map(([tag, ofTag]) => {
    const rows = ofTag.map((route) => [
      `[${code(headingOf(route))}](${fileOf(tag)}#${anchorOf(headingOf(route))})`,
      route.operation.summary,
      code(route.declaration.permission),
    ]);
    return `## ${tag}\n\n${table(['route', 'what it does', 'permission'], rows)}`;
  });
  return page('Routes', `${contract} (\`src/routes\`)`, [rules, ...sections]);
}

const isLiveEvent = (name: string): name is LiveEventName => Object.hasOwn(liveEvents, name);
const liveComponents = new SchemaComponents();
const liveNames = Object.keys(liveEventPermissions).filter((name) => isLiveEvent(name));
const liveData = liveNames.map((name) => ({
  name,
  permission: liveEventPermissions[name],
  schema: liveComponents.place(liveEvents[name]),
}));

function shapesPage(): string {
  const shapes = Object.entries({ ...document.components.schemas, ...liveComponents.schemas });
  const sorted = shapes.sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = sorted.map(([title, schema]) => {
    const described = typeof schema.description === 'string' ? [sentence(schema.description)] : [];
    const isObject = propertiesOf(schema).length > 0;
    const body = isObject ? table(fieldHead, fieldRows(schema, '')) : sentence(typeText(schema, ''));
    return [`## ${title}`, ...described, body].join('\n\n');
  });
  const note = 'The bodies and answers that have a name, in alphabetical order.';
  return page('Shapes', `${contract} (\`src/resources\`, \`src/feed\`)`, [note, ...sections]);
}

function permissionsPage(): string {
  const rows = Object.entries(permissions).map(([name, allows]) => {
    const held = routes.filter(({ declaration }) => declaration.permission === name).length;
    return [code(name), allows, String(held)];
  });
  const note =
    'Each route requires exactly one permission. Rules and roles: [permissions](../interfaces/permissions.md).';
  const body = table(['permission', 'what it allows', 'routes'], rows);
  return page('Permissions', `${contract} (\`src/permissions.ts\`)`, [note, body]);
}

function liveEventsPage(): string {
  const sections = liveData.map(({ name, permission, schema }) => {
    const body =
      propertiesOf(schema).length > 0
        ? table(fieldHead, fieldRows(schema, 'shapes.md'))
        : `Data: ${typeText(schema, 'shapes.md')}.`;
    const described = typeof schema.description === 'string' ? [sentence(schema.description)] : [];
    const needs = `Permission [${permission}](permissions.md).`;
    return [`## ${name}`, ...described, needs, body].join('\n\n');
  });
  const note =
    'The events of `GET /api/live` and their data. When the leader sends each: [live events](../interfaces/live.md).';
  return page('Live events', `${contract} (\`src/resources/live.ts\`)`, [note, ...sections]);
}

/** Pages of the HTTP interface by their place below `docs/reference`. */
export const apiPages = (): readonly (readonly [string, string])[] => [
  ['routes.md', routeIndex()],
  ...tagPages(),
  ['shapes.md', shapesPage()],
  ['permissions.md', permissionsPage()],
  ['live-events.md', liveEventsPage()],
];
