import { Button, Group, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useMemo } from 'react';
import { unitStyle } from '../charts/unit-colours.ts';
import { jobsOfUnit } from '../experiments/running-units.ts';
import { HeldJobs } from '../jobs/held-jobs.tsx';
import { LackingJobs } from '../jobs/lacking-jobs.tsx';
import { useReadingsOf } from '../latest/use-latest.tsx';
import { useAssignments } from '../services/queries.ts';
import { useJobsOfUnit, useStatusOfUnit } from '../services/use-by-unit.ts';
import { useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { PlusIcon } from '../ui/icons.tsx';
import { fixedText } from '../ui/number-text.ts';
import { useFullNames } from '../ui/unit-name.tsx';
import { doubtOf, isUncertain, oldNote } from '../units/reading-note.ts';
import { useKnownAt } from '../units/use-known-at.ts';
import { UsualStartButton } from '../units/usual-start-button.tsx';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import { useShownExperiment } from './experiment-context.ts';
import styles from './unit-strip.module.css';

/** With more units than this each has one line. */
const mostTall = 12;

interface ItemProps {
  readonly unit: string;
  readonly name: string;
  readonly experiment: string;
  readonly colour: string;
  readonly isDense: boolean;
}

/** One unit: its OD, and what may be wrong with it. The whole item is the link to its page. */
const Item = memo(function Item({ unit, name, experiment, colour, isDense }: ItemProps) {
  const readings = useReadingsOf(unit);
  const status = useStatusOfUnit(unit);
  const all = useJobsOfUnit(unit);
  const jobs = useMemo(() => jobsOfUnit(all, unit, experiment), [all, unit, experiment]);
  const nowMs = useLeaderNow();
  const knownAt = useKnownAt(status);
  const od = readings.get('od');
  const growthRate = readings.get('growth_rate');
  const noteOf = (source: string, reading: typeof od) => oldNote({ source, reading, jobs, knownAt }, nowMs());
  const note = useTicking(() => noteOf('od', od)) || (od === undefined ? '' : doubtOf('od', jobs));
  const rateNote = useTicking(() => noteOf('growth_rate', growthRate));
  const isGrowing = growthRate !== undefined && note === '' && rateNote === '' && !isUncertain('growth_rate', readings);
  return (
    <li
      className={styles.item}
      data-dense={isDense || undefined}
      data-old={note !== '' || od === undefined || undefined}
      style={{ '--unit-colour': colour } as React.CSSProperties}
    >
      <Link to="/units/$unit" params={{ unit }} className={styles.name} title={name === unit ? undefined : unit}>
        {name}
      </Link>
      <span className={styles.od}>
        <span className={styles.quantity}>{commonWords.od}</span> {od === undefined ? '–' : fixedText(od.y, 3)}
      </span>
      {(note !== '' || !isDense) && (
        <span className={styles.note} data-warning={note !== '' || undefined}>
          {note || (isGrowing ? `${fixedText(growthRate.y, 2)} h⁻¹` : od === undefined ? commonWords.noReading : '')}
        </span>
      )}
      <div className={styles.lacking}>
        {knownAt === '' && <LackingJobs jobs={jobs} />}
        <HeldJobs unit={unit} experiment={experiment} />
      </div>
    </li>
  );
});

const NoUnits = ({ experiment }: { readonly experiment: string }) => (
  <Group gap="md">
    <Text>{experimentWords.nothingRecorded}</Text>
    <Button
      leftSection={<PlusIcon size={14} />}
      renderRoot={(props) => <Link to="/experiments/$experiment/units" params={{ experiment }} {...props} />}
    >
      {commonWords.assignUnits}
    </Button>
  </Group>
);

/** The units of the experiment as they are now. */
export function UnitStrip() {
  const { name: experiment, endMs, units, nameOf } = useShownExperiment();
  const fullNameOf = useFullNames(nameOf);
  const scheme = useComputedColorScheme('light');
  const { data: assignments } = useAssignments();
  const own = (assignments ?? []).filter((each) => each.experiment === experiment);
  const now = new Set(own.map(({ reactor_unit }) => reactor_unit));
  const active = new Set(own.flatMap(({ reactor_unit, is_active }) => (is_active === 1 ? [reactor_unit] : [])));
  const shown = units.filter((unit) => now.has(unit));
  if (shown.length === 0)
    return endMs === null && assignments !== undefined ? <NoUnits experiment={experiment} /> : null;
  const isDense = shown.length > mostTall;
  return (
    <Stack gap="xs">
      <ul className={styles.strip} data-dense={isDense || undefined} aria-label={experimentWords.unitsNow}>
        {shown.map((unit) => (
          <Item
            key={unit}
            unit={unit}
            name={nameOf(unit)}
            experiment={experiment}
            colour={unitStyle(units.indexOf(unit), scheme).colour}
            isDense={isDense}
          />
        ))}
      </ul>
      <UsualStartButton experiment={experiment} units={shown.filter((unit) => active.has(unit))} nameOf={fullNameOf} />
    </Stack>
  );
}
