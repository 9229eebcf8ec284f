import { expect, it } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

it('the second click before the answer starts nothing; another act, and one after the answer, does', async () => {
  const started: { readonly key: string; readonly end: (isOk: boolean) => void }[] = [];
  const run = oneAtATime<string>();
  const click = (key: string) =>
    run(key, () => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      started.push({ key, end: (isOk) => (isOk ? resolve(key) : reject(new Error(key))) });
      return promise;
    });
  const [first, second, other] = [click('make'), click('make'), click('remove 2')];
  expect(started.map(({ key }) => key)).toEqual(['make', 'remove 2']);
  started[0]?.end(true);
  started[1]?.end(false);
  expect(await Promise.all([first, second])).toEqual(['make', 'make']);
  await expect(other).rejects.toThrow('remove 2');
  void click('make');
  void click('remove 2');
  expect(started).toHaveLength(4);
});
