import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { routes } from './route.ts';
import type { Handlers } from './server.ts';

const common = {
  summary: 'x',
  tag: 'x',
  permission: 'system.read',
  errors: [],
  cache: 0,
  origin: 'extension',
} as const;
const toyApi = routes({
  readThing: {
    ...common,
    method: 'GET',
    path: '/things/{thing}',
    responses: { 200: { description: 'x', schema: Type.Object({ size: Type.Integer() }) } },
  },
  dropThing: {
    ...common,
    method: 'DELETE',
    path: '/things/{thing}',
    responses: { 202: { description: 'x', schema: Type.Null() } },
  },
});
type Toy = Handlers<typeof toyApi>;

/** `true` when the compiler does not take `Candidate` for a server of the toy interface. These are tests of `npm run types`. */
type IsRefused<Candidate> = Candidate extends Toy ? false : true;

describe('a server of declared routes', () => {
  it('is taken when it has every route and answers what is declared', () => {
    const server = {
      readThing: ({ params }: { params: { thing: string } }) =>
        ({ status: 200, body: { size: params.thing.length } }) as const,
      dropThing: async () => ({ status: 202, body: null }) as const,
    };
    const refused: IsRefused<typeof server> = false;
    expect(refused).toBe(false);
  });

  it('does not compile without a route, with another status, another shape or a parameter that is not in the path', () => {
    const lacksRoute: IsRefused<Pick<Toy, 'readThing'>> = true;
    const otherStatus: IsRefused<Omit<Toy, 'dropThing'> & { dropThing: () => { status: 200; body: null } }> = true;
    const otherShape: IsRefused<Omit<Toy, 'readThing'> & { readThing: () => { status: 200; body: { size: string } } }> =
      true;
    const otherParameter: IsRefused<
      Omit<Toy, 'dropThing'> & { dropThing: (request: { params: { name: string } }) => { status: 202; body: null } }
    > = true;
    expect([lacksRoute, otherStatus, otherShape, otherParameter]).toEqual([true, true, true, true]);
  });
});
