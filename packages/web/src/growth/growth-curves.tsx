import type { GrowthSummary } from '@lcs/contract';
import { Button, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useComputeGrowth, useGrowthSummary } from '../services/growth-queries.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { growthWords } from '../words/growth.ts';
import { AlignedCurves } from './aligned-curves.tsx';
import type { Alignment } from './alignment.ts';
import styles from './growth-curves.module.css';
import { GrowthGroups } from './growth-groups.tsx';
import { dilutionText, type FitName, fitNumber, generationsNumber, notesOf } from './growth-view.ts';
import { NumberCell, NumberNotes } from './number-cell.tsx';

const quantities = ['mu_max', 'lag_h', 'carrying_capacity', 'doubling_time_h'] as const;

interface GrowthCurvesProps {
  readonly experiment: string;
  readonly nameOf: (unit: string) => string;
}

function Units({
  summary,
  fit,
  nameOf,
}: {
  summary: GrowthSummary;
  fit: FitName;
  nameOf: GrowthCurvesProps['nameOf'];
}) {
  const rows = summary.units.map(({ fits, ...unit }) => {
    const found = fits.find((one) => one.fit === fit);
    const numbers = quantities.map((quantity) => ({ quantity, ...fitNumber(found, quantity) }));
    return { ...unit, numbers: [...numbers, { quantity: 'generations', ...generationsNumber(unit) }] };
  });
  const diluted = dilutionText(
    summary.units.filter(({ doses }) => doses > 0).map(({ reactor_unit }) => nameOf(reactor_unit)),
  );
  const notes = notesOf(rows.flatMap(({ numbers }) => numbers));
  return (
    <>
      <table className={styles.table} aria-label={growthWords.growthCurvesOfUnits}>
        <thead>
          <tr>
            <th>{commonWords.unit}</th>
            <th>{growthWords.maximumRateWithInterval}</th>
            <th>{growthWords.lagWithInterval}</th>
            <th>{growthWords.capacityWithInterval}</th>
            <th>{growthWords.doublingTimeWithInterval}</th>
            <th>{growthWords.generations}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ reactor_unit, group, numbers }) => (
            <tr key={reactor_unit}>
              <td>
                {nameOf(reactor_unit)}
                {group !== null && <Text span size="xs" c="dimmed">{` ${group}`}</Text>}
              </td>
              {numbers.map(({ quantity, text, reason }) => (
                <NumberCell key={quantity} text={text} {...(reason !== undefined && { reason })} notes={notes} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <NumberNotes notes={notes} />
      {diluted !== '' && <Text size="sm">{diluted}</Text>}
    </>
  );
}

/** The growth curves of an experiment, for publications. They are computed on request: it takes the leader seconds. */
export function GrowthCurves({ experiment, nameOf }: GrowthCurvesProps) {
  const [isOpen, setOpen] = useState(false);
  const [alignment, setAlignment] = useState<Alignment>({ on: 'start' });
  const [fit, setFit] = useState<FitName>('log_linear');
  const { data, error, refetch, isFetching, isNotReady } = useGrowthSummary(experiment, isOpen);
  const compute = useComputeGrowth(experiment);
  const method = data?.fits.find((one) => one.fit === fit);
  return (
    <Panel title={growthWords.growthCurves}>
      {!isOpen && (
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          {growthWords.computeRatesLagAndCapacity}
        </Button>
      )}
      {isNotReady && (
        <Button size="xs" variant="default" loading={compute.isPending} onClick={() => compute.mutate()}>
          {growthWords.computeInBackground}
        </Button>
      )}
      {error && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {isOpen && !data && !error && (
        <Skeleton height={80} role="status" aria-label={growthWords.computingGrowthCurves} />
      )}
      {data?.units.length === 0 && (
        <Text size="sm" c="dimmed">
          {growthWords.noReadingsOfOpticalDensity}
        </Text>
      )}
      {data && data.units.length > 0 && (
        <Stack gap="sm">
          <Select
            size="xs"
            w={320}
            aria-label={commonWords.fit}
            allowDeselect={false}
            data={data.fits.map((one) => ({ value: one.fit, label: one.title }))}
            value={fit}
            onChange={(_, option) => setFit(data.fits.find((one) => one.fit === option?.value)?.fit ?? fit)}
          />
          <div className={styles.scroll}>
            <Units summary={data} fit={fit} nameOf={nameOf} />
          </div>
          <div className={styles.scroll}>
            <GrowthGroups groups={data.groups} tests={data.tests} fit={fit} />
          </div>
          <AlignedCurves experiments={[experiment]} alignment={alignment} onAlignment={setAlignment} />
          <Text size="xs" c="dimmed">
            {growthWords.dosesOfMediumAreSubtracted(method?.reference)}
          </Text>
        </Stack>
      )}
    </Panel>
  );
}
