import { afterAll, beforeAll, it } from 'vitest';
import { showRequest } from '../ui-contract/client.ts';
import { type Fixture, startScene } from '../ui-contract/fixture.ts';
import { faults, furtherKeys } from '../ui-contract/shape.ts';
import { type Example, exampleTitle } from './example.ts';

/** The tests of examples, in one scene, in order. */
export function showExamples(examples: readonly Example[]): void {
  let scene: Fixture;
  beforeAll(async () => {
    scene = await startScene();
  }, 60_000);
  afterAll(() => scene[Symbol.asyncDispose]());
  for (const example of examples) {
    it(exampleTitle(example), () => {
      const at = example.of === 'unit' ? { ...scene, base: scene.unit.url } : scene;
      return showRequest(example.request, at, (value, shape) => [
        ...faults(value, shape),
        ...furtherKeys(value, shape).map((key) => `${key} stands in no example`),
      ]);
    });
  }
}
