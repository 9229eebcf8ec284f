import SwaggerParser from '@apidevtools/swagger-parser';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { routes } from './route.ts';
import { leaderApi, unitApi } from './routes/index.ts';

const Part = Type.Object({ title: Type.String() }, { title: 'Shelf part', additionalProperties: false });
const Shelf = Type.Object({ parts: Type.Array(Part), first: Type.Union([Part, Type.Null()]) }, { title: 'Shelf' });
const shared = { tag: 'Shelves', permission: 'inventory.read', cache: 0 } as const;

const api = routes({
  getShelf: {
    ...shared,
    method: 'GET',
    path: '/api/shelves/{shelf}',
    summary: 'A shelf',
    query: Type.Object({
      skip: Type.Optional(Type.Integer({ minimum: 0, description: 'How many to leave out' })),
      unit: Type.String(),
    }),
    responses: { 200: { description: 'The shelf', schema: Shelf } },
    errors: ['experiment_not_found', 'unit_unknown'],
    origin: 'specification',
  },
  changeShelf: {
    ...shared,
    method: 'PATCH',
    path: '/api/shelves/{shelf}',
    summary: 'Change a shelf',
    description: 'All of it.',
    permission: 'inventory.write',
    body: Type.Object({ title: Type.Optional(Type.String()) }),
    responses: { 200: { description: 'The shelf', schema: Shelf }, 202: { description: 'Later', schema: Part } },
    errors: [],
    origin: 'extension',
    deprecated: true,
  },
  getLabel: {
    ...shared,
    tag: 'Labels',
    method: 'GET',
    path: '/api/label',
    summary: 'Text',
    responses: { 200: { description: 'Text', schema: Type.String(), contentType: 'text/plain; charset=utf-8' } },
    errors: [],
    origin: 'specification',
  },
});

const document = openApiDocument({ title: 'Toys', version: '1.0.0', description: 'd', api });
const get = document.paths['/api/shelves/{shelf}']?.get;
const patch = document.paths['/api/shelves/{shelf}']?.patch;

describe('the OpenAPI document', () => {
  it.each([
    ['the toy routes', api],
    ['all routes of the leader', leaderApi],
    ['all routes of a unit', unitApi],
    ['both', { ...leaderApi, ...unitApi }],
  ])('is valid for %s', async (_, routesOf) => {
    const text = JSON.stringify(openApiDocument({ title: 'T', version: '1.0.0', api: routesOf }));
    const checked = await SwaggerParser.validate(JSON.parse(text));
    expect(Object.keys(checked.paths ?? {}).length).toBe(new Set(Object.values(routesOf).map(({ path }) => path)).size);
  });

  it('says what the document is about', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Toys', version: '1.0.0', description: 'd' } });
    expect(document.tags).toEqual([{ name: 'Shelves' }, { name: 'Labels' }]);
  });

  it('has an operation per route with its permission and origin', () => {
    expect(get).toMatchObject({
      operationId: 'getShelf',
      summary: 'A shelf',
      tags: ['Shelves'],
      'x-permission': 'inventory.read',
      'x-origin': 'specification',
    });
    expect(get).not.toHaveProperty('deprecated');
    expect(patch).toMatchObject({ description: 'All of it.', deprecated: true, 'x-origin': 'extension' });
  });

  it('lists the parameters of path and query', () => {
    expect(get?.parameters).toEqual([
      { name: 'shelf', in: 'path', required: true, schema: { type: 'string' } },
      {
        name: 'skip',
        in: 'query',
        required: false,
        description: 'How many to leave out',
        schema: { type: 'integer', minimum: 0 },
      },
      { name: 'unit', in: 'query', required: true, schema: { type: 'string' } },
    ]);
  });

  it('has a body only where one is declared, required only when a field is', () => {
    expect(get).not.toHaveProperty('requestBody');
    expect(patch?.requestBody).toMatchObject({
      required: false,
      content: { 'application/json': { schema: { type: 'object' } } },
    });
  });

  it('writes titled schemas once and refers to them, a property called title not being one', () => {
    expect(get?.responses[200]?.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Shelf' });
    expect(document.components.schemas).toMatchObject({
      Shelf: {
        properties: {
          parts: { items: { $ref: '#/components/schemas/Shelf_part' } },
          first: { anyOf: [{ $ref: '#/components/schemas/Shelf_part' }, { type: 'null' }] },
        },
      },
      Shelf_part: { properties: { title: { type: 'string' } } },
      Error: { required: expect.arrayContaining(['error', 'cause', 'remediation', 'status']) },
    });
  });

  it('refuses two different schemas of one title', () => {
    const { getShelf } = api;
    const other = {
      ...getShelf,
      path: '/api/other' as const,
      responses: { 200: { description: '', schema: Type.String({ title: 'Shelf' }) } },
    };
    expect(() => openApiDocument({ title: '', version: '', api: { getShelf, other } })).toThrow('bear the title Shelf');
  });

  it('keeps content types', () => {
    expect(Object.keys(document.paths['/api/label']?.get?.responses[200]?.content ?? {})).toEqual([
      'text/plain; charset=utf-8',
    ]);
  });

  it('lists for each error status the codes that can occur', () => {
    const codes = Object.fromEntries(
      Object.entries(get?.responses ?? {}).map(([status, { description }]) => [status, description]),
    );
    expect(codes).toMatchObject({
      400: 'Codes: unit_unknown, invalid_query, malformed_request',
      401: 'Codes: not_signed_in',
      403: 'Codes: foreign_host, foreign_origin, setup_needed, not_allowed, csrf_token_wrong, pin_entry_ended, not_a_member, outside_token_limits',
      404: 'Codes: experiment_not_found',
      500: 'Codes: internal_error, change_outcome_unknown',
    });
    expect(codes).not.toHaveProperty('413');
    expect(patch?.responses[400]?.description).toBe('Codes: invalid_body, malformed_request');
    expect(patch?.responses[415]?.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' });
    expect(patch?.responses).toHaveProperty('413');
  });
});
