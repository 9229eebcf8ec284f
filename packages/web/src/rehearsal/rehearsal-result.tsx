import type { ProfileRehearsal } from '@lcs/contract';
import { Alert, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { BandChart } from '../charts/band-chart.tsx';
import { UnitLegend } from '../charts/unit-legend.tsx';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { rehearsalWords } from '../words/rehearsal.ts';
import styles from './rehearsal.module.css';
import {
  alikeUnits,
  answerText,
  cultureText,
  decisionLines,
  findingLines,
  methodText,
  predictedCharts,
  type StepWords,
} from './rehearsal-view.ts';

interface RehearsalResultProps {
  readonly rehearsal: ProfileRehearsal;
  readonly words: StepWords;
}

/** Of the surface, and of the title on it. */
const colours = {
  yes: { color: 'sea', title: 'var(--page-link)' },
  uncertain: { color: 'orange', title: 'var(--page-warning)' },
  no: { color: 'red', title: 'var(--mantine-color-error)' },
} as const;

function Conditions({ rehearsal, words }: RehearsalResultProps) {
  const lines = decisionLines(rehearsal, words);
  if (lines.length === 0) return null;
  return (
    <section aria-label={rehearsalWords.whenWaitsAndLoopsEnd}>
      <Text fw={600} size="sm" component="h3" m={0}>
        {rehearsalWords.whenWaitsAndLoopsEnd}
      </Text>
      <ul className={styles.list}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

const sameName = (unit: string): string => unit;
const noUnits: ReadonlySet<string> = new Set();
const nothing = (): void => {};

/** What a rehearsal predicts: whether the run can finish, what stands in its way, and the curves with their bands. */
export function RehearsalResult({ rehearsal, words }: RehearsalResultProps) {
  const charts = useMemo(() => predictedCharts(rehearsal), [rehearsal]);
  const groups = useMemo(() => alikeUnits(rehearsal), [rehearsal]);
  const { can_finish, units } = rehearsal;
  return (
    <Stack gap="sm">
      <Alert
        color={colours[can_finish].color}
        styles={{ title: { color: colours[can_finish].title } }}
        variant="light"
        icon={can_finish === 'yes' ? <CheckIcon /> : <WarningIcon />}
        title={answerText(rehearsal)}
        data-can-finish={can_finish}
      >
        <ul className={styles.list}>
          {findingLines(rehearsal, words).map(({ severity, text }) => (
            <li key={text} data-severity={severity}>
              {severity !== 'info' && <WarningIcon size={14} />}
              {text}
            </li>
          ))}
        </ul>
      </Alert>
      <Conditions rehearsal={rehearsal} words={words} />
      {units.length > 1 && groups.length === 1 && <Text size="sm">{rehearsalWords.unitsAreAlike}</Text>}
      {groups.length > 1 && (
        <UnitLegend
          units={groups.map(({ name }) => name)}
          nameOf={sameName}
          hidden={noUnits}
          onToggle={nothing}
          onOnly={nothing}
          onHighlight={nothing}
        />
      )}
      <div className={styles.charts}>
        {charts.map(({ name, title, unit, lines }) => (
          <BandChart key={name} title={title} unit={unit} lines={lines} />
        ))}
      </div>
      <Text size="sm" c="dimmed">
        {methodText(rehearsal)} {cultureText(rehearsal)}.
      </Text>
    </Stack>
  );
}
