import type { TSchema } from 'typebox';
import { commonErrors, ErrorBody, type ErrorCode, errorTable } from './errors.ts';
import type { Api, ResponseDeclaration, RouteDeclaration } from './route.ts';
import { SchemaComponents } from './schema-components.ts';

/** A JSON Schema inside an OpenAPI document. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: OpenApiSchema;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: OpenApiSchema }>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: OpenApiSchema }>>;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly deprecated?: true;
  readonly 'x-permission': string;
  readonly 'x-origin': RouteDeclaration['origin'];
}

/** The part of OpenAPI 3.1 that our documents use. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiSchema>> };
}

const jsonType = 'application/json';

const parameterName = /\{(\w+)\}/g;

function parametersOf(route: RouteDeclaration, components: SchemaComponents): readonly OpenApiParameter[] {
  const inPath = [...route.path.matchAll(parameterName)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string' },
  }));
  const required = new Set<string>(route.query?.required ?? []);
  const inQuery = Object.entries(route.query?.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = components.place(property);
    return {
      name,
      in: 'query' as const,
      required: required.has(name),
      ...(typeof description === 'string' ? { description } : {}),
      schema,
    };
  });
  return [...inPath, ...inQuery];
}

const contentOf = (contentType: string, schema: TSchema, components: SchemaComponents) => ({
  [contentType]: { schema: components.place(schema) },
});

const successOf = (response: ResponseDeclaration, components: SchemaComponents): OpenApiResponse => ({
  description: response.description,
  content: contentOf(response.contentType ?? jsonType, response.schema, components),
});

/** All codes a route may answer with: its own, those that its query and body bring, those of every route. */
export function errorCodesOf(route: RouteDeclaration): readonly ErrorCode[] {
  const ofBody: readonly ErrorCode[] = route.body ? ['invalid_body', 'unsupported_media_type'] : [];
  const ofUpload: readonly ErrorCode[] = route.upload ? ['upload_invalid'] : [];
  const ofQuery: readonly ErrorCode[] = route.query ? ['invalid_query'] : [];
  const canFail: Partial<Record<ErrorCode, boolean>> = {
    body_too_large: route.body !== undefined || route.upload !== undefined,
    storage_full: route.method !== 'GET',
  };
  const ofAll = commonErrors.filter((code) => canFail[code] ?? true);
  return [...new Set([...route.errors, ...ofBody, ...ofUpload, ...ofQuery, ...ofAll])];
}

function errorsOf(route: RouteDeclaration, components: SchemaComponents): Readonly<Record<string, OpenApiResponse>> {
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => errorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      { description: `Codes: ${codes.join(', ')}`, content: contentOf(jsonType, ErrorBody, components) },
    ]),
  );
}

function requestBodyOf(route: RouteDeclaration, components: SchemaComponents): Pick<OpenApiOperation, 'requestBody'> {
  const { body, upload } = route;
  if (body) {
    return {
      requestBody: { required: (body.required ?? []).length > 0, content: contentOf(jsonType, body, components) },
    };
  }
  if (!upload) return {};
  const { field, description, limitBytes } = upload;
  const schema = {
    type: 'object',
    properties: {
      [field]: { type: 'string', format: 'binary', description: `${description}; at most ${limitBytes} bytes` },
    },
    required: [field],
  };
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
}

function operationOf(operationId: string, route: RouteDeclaration, components: SchemaComponents): OpenApiOperation {
  const parameters = parametersOf(route, components);
  const successes = Object.entries(route.responses).map(
    ([status, response]) => [status, successOf(response, components)] as const,
  );
  return {
    operationId,
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: [route.tag],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBodyOf(route, components),
    responses: { ...Object.fromEntries(successes), ...errorsOf(route, components) },
    ...(route.deprecated ? { deprecated: true as const } : {}),
    'x-permission': route.permission,
    'x-origin': route.origin,
  };
}

/** What a document is made from. */
export interface OpenApiSource {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  readonly api: Api;
}

/**
 * The OpenAPI 3.1 document of an API. Schemas with a title become components, each once; throws when two different
 * schemas bear the same title.
 */
export function openApiDocument({ title, version, description, api }: OpenApiSource): OpenApiDocument {
  const components = new SchemaComponents();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const [operationId, route] of Object.entries(api)) {
    const operation = operationOf(operationId, route, components);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  const tags = new Set(Object.values(api).map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: { title, version, ...(description ? { description } : {}) },
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { schemas: components.schemas },
  };
}
