/** Resolves when all of them have; mostly there are none, or one. */
export async function allOf(works: readonly Promise<void>[]): Promise<void> {
  if (works.length === 1) return works[0];
  if (works.length > 1) await Promise.all(works);
}
