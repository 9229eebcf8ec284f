/** How the units of an experiment are shown. */
export const unitsViews = ['cards', 'table'] as const;
export type UnitsView = (typeof unitsViews)[number];

/** The view of a name, which a person may have typed; undefined: there is none of this name. */
export const unitsViewOf = (value: unknown): UnitsView | undefined => unitsViews.find((view) => view === value);
