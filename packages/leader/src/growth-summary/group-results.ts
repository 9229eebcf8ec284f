import type { GrowthGroup, GrowthQuantity, GrowthStatistics, GrowthTest, UnitGrowth } from '@lcs/contract';
import { compareGroups, type FitName, groupStatistics } from '@lcs/domain';

/** Units that are compared with other units. */
export interface UnitsOfGroup {
  readonly name: string;
  readonly units: readonly UnitGrowth[];
}

interface Measure {
  readonly quantity: GrowthQuantity;
  readonly fit: FitName | null;
  readonly of: (unit: UnitGrowth) => number | null | undefined;
}

const quantitiesOfFit = ['mu_max', 'lag_h', 'carrying_capacity', 'doubling_time_h'] as const;

const fitNames = [
  'log_linear',
  'gompertz',
  'baranyi_roberts',
  'gaussian_process',
] as const satisfies readonly FitName[];

/** All numbers that are averaged over replicates: the generations, and those of each fit. */
const measures: readonly Measure[] = [
  { quantity: 'generations', fit: null, of: ({ generations }) => generations },
  ...fitNames.flatMap((fit) =>
    quantitiesOfFit.map((quantity) => ({
      quantity,
      fit,
      of: ({ fits }: UnitGrowth) => fits.find((one) => one.fit === fit)?.[quantity]?.value,
    })),
  ),
];

const valuesOf = ({ units }: UnitsOfGroup, { of }: Measure): number[] =>
  units.flatMap((unit) => of(unit) ?? []).filter(Number.isFinite);

export const groupBody = (group: UnitsOfGroup): GrowthGroup => ({
  name: group.name,
  units: group.units.map(({ reactor_unit }) => reactor_unit),
  diluted_units: group.units.filter(({ doses }) => doses > 0).map(({ reactor_unit }) => reactor_unit),
  statistics: measures.flatMap((measure): GrowthStatistics[] => {
    const { quantity, fit } = measure;
    const found = groupStatistics(valuesOf(group, measure));
    return found.n === 0 ? [] : [{ quantity, fit, ...found }];
  }),
});

/** Tests whether the groups differ, of each number that two groups have. */
export const testBodies = (groups: readonly UnitsOfGroup[]): GrowthTest[] =>
  measures.flatMap((measure) =>
    compareGroups(groups.map((group) => ({ name: group.name, values: valuesOf(group, measure) }))).map(
      ({ adjustedP, groups: names, df, ...test }): GrowthTest => ({
        quantity: measure.quantity,
        fit: measure.fit,
        ...test,
        groups: [...names],
        df: [...df],
        p_adjusted: adjustedP,
      }),
    ),
  );
