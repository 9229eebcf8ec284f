/** Something that the palette opens or starts. */
export interface PaletteItem {
  /** Unique among all items. */
  readonly id: string;
  readonly group: 'commands' | 'jobs' | 'pages' | 'experiments' | 'exports' | 'units' | 'settings';
  readonly label: string;
  /** Another name that finds it nearly as the label does. */
  readonly otherName?: string;
  /** Beside the label. */
  readonly hint?: string;
  /** Other words that people type for it; not shown. */
  readonly synonyms?: string;
  readonly run: () => void;
}

const naturally = new Intl.Collator('en', { numeric: true });

/** So many items of a group are shown: a person types another letter for the others. */
const mostOfGroup = 7;

const inOwnOrder: ReadonlySet<PaletteItem['group']> = new Set(['jobs', 'exports']);
const onlyAsked: ReadonlySet<PaletteItem['group']> = new Set(['exports', 'settings']);

const words = (text: string): readonly string[] => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);

/** How well an item fits: 0 the label begins with the text, 1 its other name, 2 a word does, 3 it contains the text; null: not at all. */
function fitOf({ label, otherName = label, hint = '', synonyms = '' }: PaletteItem, query: string): number | null {
  const name = label.toLowerCase();
  if (name.startsWith(query)) return 0;
  if (otherName.toLowerCase().startsWith(query)) return 1;
  const parts = query.split(/\s+/);
  const known = [...words(label), ...words(hint), ...words(synonyms)];
  if (parts.every((part) => known.some((word) => word.startsWith(part)))) return 2;
  return name.includes(query) ? 3 : null;
}

/** The items that fit the typed text, in the order of the groups, the best first; without a text the first of each group. */
export function matchingItems(items: readonly PaletteItem[], typed: string): readonly PaletteItem[] {
  const query = typed.trim().toLowerCase();
  // Settings and exports are many: they come when a person types for them.
  const asked = query === '' ? items.filter(({ group }) => !onlyAsked.has(group)) : items;
  const groups = Map.groupBy(asked, ({ group }) => group);
  const found = [...groups.values()].map((group) =>
    group
      .flatMap((item) => {
        const fit = query === '' ? 0 : fitOf(item, query);
        return fit === null ? [] : [{ item, fit }];
      })
      .sort(
        (left, right) =>
          left.fit - right.fit ||
          // These come in the order of the page that is open.
          (query === '' || inOwnOrder.has(left.item.group) ? 0 : naturally.compare(left.item.label, right.item.label)),
      )
      .slice(0, mostOfGroup),
  );
  // What fits best comes first, whatever its group is.
  const bestOf = (group: (typeof found)[number]): number => group[0]?.fit ?? Number.POSITIVE_INFINITY;
  return found.sort((left, right) => bestOf(left) - bestOf(right)).flatMap((group) => group.map(({ item }) => item));
}
