import { elapsedText } from '@lcs/domain';
import { ActionIcon, Group, Menu, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { designText } from '../experiments/experiment-design.ts';
import { ExperimentItems } from '../experiments/experiment-items.tsx';
import { StatusBadge, Tags } from '../experiments/experiment-text.tsx';
import { unitsThatRun } from '../experiments/running-units.ts';
import { useNewestReading } from '../experiments/use-newest-reading.ts';
import { useAssignments, useJobs } from '../services/queries.ts';
import { DotsIcon } from '../ui/icons.tsx';
import { Elapsed, Moment } from '../ui/moments.tsx';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import { useShownExperiment } from './experiment-context.ts';
import styles from './experiment-header.module.css';
import { ExperimentSwitcher } from './experiment-switcher.tsx';

function ActionsMenu() {
  const { row, onDialog, onDuplicate } = useShownExperiment();
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon ref={opener} variant="default" size={30} aria-label={experimentWords.actionsForThisExperiment}>
          <DotsIcon size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <ExperimentItems row={row} opener={opener.current} onDialog={onDialog} onDuplicate={onDuplicate} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** How long the experiment has lasted, its end and its beginning. */
function Times() {
  const { row, endMs } = useShownExperiment();
  const { createdAtMs, endedAtMs } = row;
  const jobs = useJobs();
  const { data: assignments } = useAssignments();
  // The time of an experiment on whose units nothing runs does not pass.
  const isIdle =
    endMs === null &&
    jobs !== undefined &&
    assignments !== undefined &&
    unitsThatRun({ jobs, assignments }, row.experiment.experiment) === 0;
  const newestMs = useNewestReading(row.experiment.experiment, isIdle);
  // It ended, or its jobs were stopped: its last reading is as old as that.
  const untilMs = isIdle ? newestMs : endMs;
  return (
    <dl className={styles.facts}>
      {!(isIdle && untilMs === null) && (
        <div>
          <dt>{untilMs === null ? commonWords.elapsed : experimentWords.createdToLastReading}</dt>
          <dd>{untilMs === null ? <Elapsed sinceMs={createdAtMs} /> : elapsedText(untilMs - createdAtMs)}</dd>
        </div>
      )}
      {untilMs !== null && (
        <div>
          <dt>{endedAtMs === null ? experimentWords.lastReading : commonWords.ended}</dt>
          <dd>
            <Moment ms={endedAtMs ?? untilMs} />
          </dd>
        </div>
      )}
      <div>
        <dt>{commonWords.created}</dt>
        <dd>
          <Moment ms={createdAtMs} />
        </dd>
      </div>
    </dl>
  );
}

/** The name of an experiment, its state, and its actions. */
export function ExperimentHeader() {
  const { row } = useShownExperiment();
  const { experiment } = row.experiment;
  const design = designText(row.design);
  return (
    <Stack gap={6} component="header">
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Link to="/experiments" className="page-link">
          {commonWords.experiments}
        </Link>
        <Group gap="xs" wrap="nowrap">
          <ExperimentSwitcher current={experiment} />
          <ActionsMenu />
        </Group>
      </Group>
      <Group gap="4px 20px" align="baseline">
        <Title order={1} size="h2">
          {experiment}
        </Title>
        <StatusBadge row={row} />
        <Times />
        {design !== '' && <Text>{design}</Text>}
        <Tags tags={row.design.tags} />
      </Group>
    </Stack>
  );
}
