import type { GrowthGroup, GrowthTest } from '@lcs/contract';
import { Text } from '@mantine/core';
import { growthWords } from '../words/growth.ts';
import styles from './growth-curves.module.css';
import { dilutionText, type FitName, groupNumber, hasReplicates, notesOf, numberText } from './growth-view.ts';
import { NumberCell, NumberNotes } from './number-cell.tsx';

interface GrowthGroupsProps {
  readonly groups: readonly GrowthGroup[];
  readonly tests: readonly GrowthTest[];
  readonly fit: FitName;
}

const quantities = ['mu_max', 'doubling_time_h', 'lag_h', 'carrying_capacity', 'generations'] as const;

const testTitles: { readonly [Test in GrowthTest['test']]: string } = growthWords.testTitles;

/** What replicates have in common, with the 95 % interval of each mean, and whether groups differ. */
export function GrowthGroups({ groups, tests, fit }: GrowthGroupsProps) {
  if (groups.length === 0) return null;
  const rows = groups.map((group) => ({
    name: group.name,
    numbers: quantities.map((quantity) => ({
      quantity,
      ...groupNumber(group, quantity, quantity === 'generations' ? null : fit),
    })),
  }));
  const diluted = dilutionText([...new Set(groups.flatMap(({ diluted_units }) => diluted_units))]);
  const notes = notesOf(rows.flatMap(({ numbers }) => numbers));
  return (
    <>
      <table className={styles.table} aria-label={growthWords.growthCurvesOfGroups}>
        <thead>
          <tr>
            <th>{hasReplicates(groups) ? growthWords.groupMean : growthWords.groupOfOneUnit}</th>
            <th>{growthWords.maximumRate}</th>
            <th>{growthWords.doublingTime}</th>
            <th>{growthWords.lag}</th>
            <th>{growthWords.capacity}</th>
            <th>{growthWords.generations}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, numbers }) => (
            <tr key={name}>
              <td>{name}</td>
              {numbers.map(({ quantity, text, reason }) => (
                <NumberCell key={quantity} text={text} {...(reason !== undefined && { reason })} notes={notes} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <NumberNotes notes={notes} />
      {diluted !== '' && <Text size="sm">{diluted}</Text>}
      {tests
        .filter(({ quantity, fit: of }) => quantity === 'mu_max' && of === fit)
        .map(({ test, groups: names, p, p_adjusted }) => (
          <Text key={`${test} ${names.join(' ')}`} size="sm" c="dimmed">
            {growthWords.maximumRateTest(names.join(', '), testTitles[test], numberText(p))}
            {p_adjusted !== null && growthWords.correctedP(numberText(p_adjusted))}
          </Text>
        ))}
    </>
  );
}
