import { commonWords } from '../words/common.ts';

/** More names than this are not read at a glance. */
const mostNames = 6;

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : commonWords.listAnd(names.slice(0, -1).join(', '), names.at(-1));

/** Units by name, or how many they are. */
export const unitsText = (names: readonly string[]): string =>
  names.length > mostNames ? commonWords.unitCount(names.length) : listed(names);
