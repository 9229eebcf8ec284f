import { afterAll, beforeAll, describe, it } from 'vitest';
import { showRequest } from './client.ts';
import { type Fixture, startScene } from './fixture.ts';
import { requestTitle, type UiPage } from './page.ts';

/** The tests of pages that share one scene: what they rely on, then every request in order. */
export function showPages(...pages: readonly UiPage[]): void {
  let scene: Fixture;
  beforeAll(async () => {
    scene = await startScene();
  }, 60_000);
  afterAll(() => scene[Symbol.asyncDispose]());
  for (const page of pages) {
    describe(page.title, () => {
      for (const { rule, shows } of page.rules) it(rule, () => shows(scene));
      for (const request of page.requests) it(requestTitle(request), () => showRequest(request, scene));
    });
  }
}
