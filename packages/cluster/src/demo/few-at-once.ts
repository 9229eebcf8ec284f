/** Does the work for each of them, in their order, for so many at once. After a failure nothing new begins. @throws the first failure */
export async function fewAtOnce<T>(
  atOnce: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const failures: unknown[] = [];
  const takeTurns = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
        waiting.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  if (failures.length > 0) throw failures[0];
}
