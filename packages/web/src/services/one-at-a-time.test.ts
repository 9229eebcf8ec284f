import { expect, it } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';
import { isSameAct } from './use-mutation.ts';

function acts() {
  const started: { readonly act: unknown; readonly end: (isOk: boolean) => void }[] = [];
  const run = oneAtATime<unknown, unknown>(isSameAct);
  const click = (act: unknown) =>
    run(act, () => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      started.push({ act, end: (isOk) => (isOk ? resolve(act) : reject(new Error(String(act)))) });
      return promise;
    });
  return { started, click };
}

it('the second click before the answer starts nothing; one after the answer does', async () => {
  const { started, click } = acts();
  const [first, second] = [click({ name: 'token', days: 2 }), click({ days: 2, name: 'token' })];
  expect(started).toHaveLength(1);
  started[0]?.end(false);
  await expect(first).rejects.toThrow();
  await expect(second).rejects.toThrow();
  void click({ name: 'token', days: 2 });
  expect(started).toHaveLength(2);
});

it('another act starts, and so does the first one after it: the last wish counts', () => {
  const { started, click } = acts();
  for (const act of ['on', 'off', 'on', 'on']) void click(act);
  expect(started.map(({ act }) => act)).toEqual(['on', 'off', 'on']);
});

it('another file is another act, also with the same name', () => {
  const { started, click } = acts();
  const [one, other] = [new File(['a'], 'photo.jpg'), new File(['b'], 'photo.jpg')];
  for (const act of [one, one, other, { photo: one }, { photo: one }, { photo: other }]) void click(act);
  expect(started).toHaveLength(4);
});
