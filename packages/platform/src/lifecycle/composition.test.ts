import { expect, it } from 'vitest';
import { Composition, type Stage } from './composition.ts';
import type { Service } from './in-order.ts';

const service = (name: string): Service => ({ name, start: async () => {}, stop: async () => {} });

const store = ({ path }: { readonly path: string }): Stage<{ readonly store: string }> => ({
  outputs: { store: `store at ${path}` },
  services: [service('store')],
});
const jobs = ({ store: used }: { readonly store: string }): Stage<{ readonly jobs: string }> => ({
  outputs: { jobs: `jobs over ${used}` },
  services: [service('jobs')],
});

it('gives each stage the outputs of the stages before it, and starts services in their order', () => {
  const node = Composition.of({ path: 'a' }).add(store).add(jobs);
  expect(node.outputs).toEqual({ path: 'a', store: 'store at a', jobs: 'jobs over store at a' });
  expect(node.services.map(({ name }) => name)).toEqual(['store', 'jobs']);
});

it('does not compile with a stage before one that it needs', () => {
  // @ts-expect-error: the store that the jobs need comes after them
  const node = Composition.of({ path: 'a' }).add(jobs).add(store);
  expect(node.services.map(({ name }) => name)).toEqual(['jobs', 'store']);
});
