import { Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { BandChart } from '../charts/band-chart.tsx';
import { meanRule } from '../charts/group-lines.ts';
import { UnitLegend } from '../charts/unit-legend.tsx';
import { limitsFault, NumberField } from '../forms/number-field.tsx';
import { useGrowthComparison } from '../services/growth-queries.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { growthWords } from '../words/growth.ts';
import type { Alignment } from './alignment.ts';
import { hasReplicates, legendText, meanLines, numberText } from './growth-view.ts';
import { MissingCurves } from './missing-curves.tsx';

interface AlignmentChoiceProps {
  readonly alignment: Alignment;
  readonly onAlignment: (alignment: Alignment) => void;
}

/** A usual OD of the exponential phase. */
const usualOd = 0.3;
const odLimits = { min: 0.001, max: 1000 };

const choices = [
  { value: 'start', label: commonWords.start },
  { value: 'first_dilution', label: growthWords.firstDilution },
  { value: 'od', label: commonWords.od },
];

/** What hour 0 of the curves is. */
function AlignmentChoice({ alignment, onAlignment }: AlignmentChoiceProps) {
  const [od, setOd] = useState<string | number>(alignment.on === 'od' ? alignment.od : usualOd);
  const choose = (on: string): void => {
    if (on === 'od')
      onAlignment({ on, od: typeof od === 'number' && limitsFault(odLimits, od) === null ? od : usualOd });
    else onAlignment({ on: on === 'first_dilution' ? on : 'start' });
  };
  return (
    <Group gap="sm">
      <Text size="sm">{growthWords.hourZero}</Text>
      <SegmentedControl
        size="xs"
        aria-label={growthWords.alignmentOfCurves}
        data={choices}
        value={alignment.on}
        onChange={choose}
      />
      {alignment.on === 'od' && (
        <NumberField
          size="xs"
          w={90}
          aria-label={growthWords.odOfAlignment}
          value={od}
          {...odLimits}
          step={0.1}
          onChange={(value) => {
            setOd(value);
            if (typeof value === 'number' && limitsFault(odLimits, value) === null)
              onAlignment({ on: 'od', od: value });
          }}
        />
      )}
    </Group>
  );
}

/** The mean curves of groups of replicates with the 95 % interval of the mean, laid over each other. */
export function AlignedCurves({
  experiments,
  alignment,
  onAlignment,
}: AlignmentChoiceProps & { readonly experiments: readonly string[] }) {
  const { data, error, refetch, isFetching, isNotReady } = useGrowthComparison(experiments, alignment);
  const all = useMemo(() => data && meanLines(data), [data]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => all?.lines.filter(({ name }) => !hidden.has(name)), [all, hidden]);
  const names = all?.lines.map(({ name }) => name) ?? [];
  const legendOf = new Map(all?.lines.map((line) => [line.name, legendText(line)]));
  const left = data?.experiments.flatMap(({ curves }) => curves.filter(({ failure }) => failure !== null)) ?? [];
  const empty = data?.experiments.filter(({ curves }) => curves.length === 0).map(({ experiment }) => experiment) ?? [];
  const hasCurve = data?.experiments.some(({ curves }) => curves.some(({ failure }) => failure === null)) ?? false;
  const areMeans = hasReplicates(data?.groups ?? []);
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  return (
    <Stack gap="sm">
      <Group gap="sm" justify="space-between">
        <AlignmentChoice alignment={alignment} onAlignment={onAlignment} />
        {all !== undefined && all.firstH < 0 && (
          <Text size="sm" c="dimmed">
            {growthWords.hourZeroAt(numberText(-all.firstH))}
          </Text>
        )}
      </Group>
      {names.length > 1 && (
        <UnitLegend
          units={names}
          nameOf={(name) => legendOf.get(name) ?? name}
          hidden={hidden}
          onToggle={toggle}
          onOnly={(name) => setHidden(new Set(names.filter((each) => each !== name)))}
          onHighlight={() => {}}
        />
      )}
      {isNotReady && !data && <MissingCurves experiments={experiments} onComputed={() => void refetch()} />}
      {error && !isNotReady && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {data === undefined && !error && <Skeleton height={280} role="status" aria-label={growthWords.computingCurves} />}
      {names.length === 0 && data !== undefined && (
        <Text size="sm">{hasCurve ? growthWords.noMean : growthWords.noCurveHasHourZero}</Text>
      )}
      {empty.length > 0 && (
        <Text size="sm" c="dimmed">
          {growthWords.withoutReadingsOfOd(empty.join(', '))}
        </Text>
      )}
      {left.length > 0 && (
        <Text size="sm" c="dimmed">
          {growthWords.withoutHourZero(left.map(({ label, reactor_unit }) => label ?? reactor_unit).join(', '))}
        </Text>
      )}
      {lines !== undefined && lines.length > 0 && (
        <>
          <BandChart
            title={areMeans ? growthWords.meanWithInterval : growthWords.curveOfUnit}
            unit="OD"
            lines={lines}
            room="as-lines"
          />
          {areMeans && (
            <Text size="sm" c="dimmed">
              {meanRule}
            </Text>
          )}
        </>
      )}
    </Stack>
  );
}
