import type { ProfileRehearsal } from '@lcs/contract';
import { Alert, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { BandChart } from '../charts/band-chart.tsx';
import { UnitLegend } from '../charts/unit-legend.tsx';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import styles from './rehearsal.module.css';
import {
  answerText,
  cultureText,
  findingText,
  methodText,
  predictedCharts,
  shareText,
  spanText,
} from './rehearsal-view.ts';

interface RehearsalResultProps {
  readonly rehearsal: ProfileRehearsal;
  /** An action of the profile in words, by its path. */
  readonly textOf: (path: string) => string;
}

/** Of the surface, and of the title on it. */
const colours = {
  yes: { color: 'sea', title: 'var(--page-link)' },
  uncertain: { color: 'orange', title: 'var(--page-warning)' },
  no: { color: 'red', title: 'var(--mantine-color-error)' },
} as const;

function Conditions({ rehearsal: { units }, textOf }: RehearsalResultProps) {
  const all = units.flatMap(({ reactor_unit, conditions }) => conditions.map((each) => ({ ...each, reactor_unit })));
  if (all.length === 0) return null;
  return (
    <section aria-label="When conditions become true">
      <Text fw={600} size="sm" component="h3" m={0}>
        When conditions become true
      </Text>
      <ul className={styles.list}>
        {all.map(({ reactor_unit, path, iteration, share, ...span }) => (
          <li key={`${reactor_unit} ${path} ${iteration}`}>
            {reactor_unit}: {textOf(path)}: {spanText(span)}, {shareText(share)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const sameName = (unit: string): string => unit;
const noUnits: ReadonlySet<string> = new Set();
const nothing = (): void => {};

/** What a rehearsal predicts: whether the run can finish, what stands in its way, and the curves with their bands. */
export function RehearsalResult({ rehearsal, textOf }: RehearsalResultProps) {
  const charts = useMemo(() => predictedCharts(rehearsal), [rehearsal]);
  const { can_finish, findings, units } = rehearsal;
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
          {findings.map((finding) => (
            <li key={`${finding.code} ${finding.reactor_unit} ${finding.message}`} data-severity={finding.severity}>
              {finding.severity !== 'info' && <WarningIcon size={14} />}
              {findingText(finding, textOf)}
            </li>
          ))}
        </ul>
      </Alert>
      <Conditions rehearsal={rehearsal} textOf={textOf} />
      {units.length > 1 && (
        <UnitLegend
          units={units.map(({ reactor_unit }) => reactor_unit)}
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
