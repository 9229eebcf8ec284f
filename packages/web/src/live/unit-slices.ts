import type { PageClock } from '../time/page-clock.ts';
import { createListeners } from './listeners.ts';

/** A list of the live stream by unit. Many parts of a page can each follow one unit: a change of one unit concerns no other. */
export interface UnitSlices<Item> {
  /** The items of a unit; the same list until one of them changes. */
  of(unit: string): readonly Item[];
  /** All items; `undefined`: not known yet. */
  all(): readonly Item[] | undefined;
  subscribe(listener: () => void): () => void;
}

export interface UnitSlicesOptions<Item> {
  /** The present list; `undefined`: not known yet. */
  readonly read: () => readonly Item[] | undefined;
  /** Calls the listener at each change of the list. */
  readonly onChange: (listener: () => void) => void;
  readonly clock: PageClock;
}

/** Settings of many units arrive one by one: they are shown together at this interval. */
const batchMs = 250;

const none: readonly never[] = [];

/** The list by unit. A part whose items are all the same objects as before is the same list as before. */
function sliced<Item extends { readonly reactor_unit: string | null }>(
  list: readonly Item[],
  before: ReadonlyMap<string, readonly Item[]>,
): ReadonlyMap<string, readonly Item[]> {
  const parts = Map.groupBy(list, ({ reactor_unit }) => reactor_unit ?? '');
  return new Map(
    [...parts].map(([unit, items]) => {
      const known = before.get(unit) ?? none;
      const isSame = known.length === items.length && items.every((item, at) => item === known[at]);
      return [unit, isSame ? known : items];
    }),
  );
}

export function createUnitSlices<Item extends { readonly reactor_unit: string | null }>({
  read,
  onChange,
  clock,
}: UnitSlicesOptions<Item>): UnitSlices<Item> {
  const listeners = createListeners<void>();
  let list = read();
  let parts = sliced(list ?? none, new Map());
  let isDue = false;
  const refresh = (): void => {
    isDue = false;
    const next = read();
    if (next === list) return;
    list = next;
    parts = sliced(next ?? none, parts);
    listeners.notify();
  };
  onChange(() => {
    if (isDue) return;
    isDue = true;
    clock.after(list === undefined ? 0 : batchMs, refresh);
  });
  return { of: (unit) => parts.get(unit) ?? none, all: () => list, subscribe: listeners.add };
}
