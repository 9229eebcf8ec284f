import { type Blank, isObject, type Json } from '@lcs/contract';

/** Means and problems of an event about a blank; null: the blank was removed. */
export function blankIn(data: string): Pick<Blank, 'means' | 'problems'> | null {
  const parsed: Json = JSON.parse(data);
  const { means, problems } = isObject(parsed) ? parsed : {};
  if (!isObject(means)) return null;
  const values = Object.entries(means).flatMap(([channel, mean]) =>
    typeof mean === 'number' ? [[channel, mean]] : [],
  );
  const texts = Array.isArray(problems) ? problems.filter((problem) => typeof problem === 'string') : [];
  return { means: Object.fromEntries(values), problems: texts };
}
