import { leaderApi } from '@lcs/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PastUnits } from '../assignments/past-units.tsx';
import { ExperimentAudit } from '../audit/experiment-audit.tsx';
import { refusalText, useExperimentChange } from '../experiments/use-experiment-change.ts';
import { LatestProvider } from '../latest/use-latest.tsx';
import { RunHere } from '../protocols/run-here.tsx';
import { useExperimentAccess } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import { experimentItemsWords } from '../words/experiment-items.ts';
import { DescriptionEditor } from './description-editor.tsx';
import { useShownExperiment } from './experiment-context.ts';
import { MediaPanel } from './media-panel.tsx';
import styles from './setup-tab.module.css';
import { SetupUnits } from './setup-units.tsx';

/** Organism, medium and tags. */
function Design() {
  const { row, onDialog } = useShownExperiment();
  const may = useMay();
  const { organism, medium, tags } = row.design;
  return (
    <Panel
      title={experimentWords.design}
      aside={
        <Button
          variant="default"
          size="xs"
          onClick={() => onDialog({ kind: 'edit', row })}
          {...may(leaderApi.updateExperiment)}
        >
          {experimentWords.edit}
        </Button>
      }
    >
      <dl className={styles.facts}>
        <dt>{commonWords.organismStrain}</dt>
        <dd>{organism || experimentWords.notStated}</dd>
        <dt>{commonWords.medium}</dt>
        <dd>{medium || experimentWords.notStated}</dd>
        <dt>{commonWords.tags}</dt>
        <dd>{tags.join(', ') || experimentWords.noTags}</dd>
      </dl>
    </Panel>
  );
}

/** Who owns the experiment and acts on it. */
function People() {
  const { name, onDialog } = useShownExperiment();
  const access = useExperimentAccess(name);
  return (
    <Panel
      title={commonWords.people}
      foldsOnPhone
      aside={
        <Button variant="default" size="xs" onClick={() => onDialog({ kind: 'access', experiment: name })}>
          {commonWords.ownerAndMembers}
        </Button>
      }
    >
      {access && (
        <dl className={styles.facts}>
          <dt>{experimentWords.createdBy}</dt>
          <dd>{access.created_by ?? commonWords.unknownPerson}</dd>
          <dt>{commonWords.owner}</dt>
          <dd>{access.owner ?? commonWords.nobody}</dd>
          <dt>{commonWords.members}</dt>
          <dd>{access.members.join(', ') || commonWords.nobody}</dd>
          <dt>{experimentWords.whoActs}</dt>
          <dd>{access.is_protected ? experimentWords.ownerMembersAndAdministrators : experimentWords.everyOperator}</dd>
        </dl>
      )}
    </Panel>
  );
}

/** Ends, reopens, archives and copies the experiment. */
function Life() {
  const { name, row, onDialog, onDuplicate } = useShownExperiment();
  const may = useMay();
  const change = useExperimentChange(name);
  const isArchived = row.experiment.archived !== undefined;
  return (
    <Panel title={experimentWords.endAndArchive}>
      <Stack gap="sm">
        <Text size="sm">
          {row.endedAtMs === null
            ? experimentWords.endStopsAllJobs
            : experimentWords.endedAt(<Moment ms={row.endedAtMs} />)}{' '}
          {isArchived ? experimentWords.itIsArchived : experimentWords.archiveHelp}
        </Text>
        <Group gap="xs">
          {row.endedAtMs === null ? (
            <Button
              variant="default"
              className="danger"
              onClick={() => onDialog({ kind: 'end', row })}
              {...may(leaderApi.updateExperiment)}
            >
              {commonWords.end}
            </Button>
          ) : (
            <Button
              variant="default"
              loading={change.isPending}
              onClick={() => change.mutate({ ended_at: null })}
              {...may(leaderApi.updateExperiment)}
            >
              {commonWords.reopen}
            </Button>
          )}
          <Button
            variant="default"
            loading={change.isPending}
            onClick={() =>
              !isArchived && row.endedAtMs === null
                ? onDialog({ kind: 'archive', row })
                : change.mutate({ archived: !isArchived })
            }
            {...may(leaderApi.updateExperiment)}
          >
            {isArchived
              ? commonWords.unarchive
              : row.endedAtMs === null
                ? experimentItemsWords.archiveDialog
                : commonWords.archive}
          </Button>
          <Button variant="default" onClick={() => onDuplicate(row)} {...may(leaderApi.createExperiment)}>
            {commonWords.copyWithItsSetUp}
          </Button>
        </Group>
        {change.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {refusalText(change.error)}
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

/** What the experiment is, and who and what takes part in it. */
export function SetupTab() {
  const { name, row } = useShownExperiment();
  return (
    <Stack gap="md">
      <div className={styles.columns}>
        <Stack gap="md">
          <Design />
          <Panel
            title={experimentWords.unitsLabelsAndGroups}
            aside={
              <Link to="/experiments/$experiment/units" params={{ experiment: name }} className="page-link">
                {commonWords.assignUnits}
              </Link>
            }
          >
            <PartBoundary part={experimentWords.partLabelsAndGroups} resetKey={name}>
              <SetupUnits />
            </PartBoundary>
          </Panel>
          <PartBoundary part={experimentWords.description} resetKey={name}>
            <DescriptionEditor experiment={name} description={row.experiment.description ?? ''} />
          </PartBoundary>
        </Stack>
        <Stack gap="md">
          <People />
          <Panel
            title={experimentWords.protocol}
            foldsOnPhone
            aside={
              <Link to="/protocols" className="page-link">
                {commonWords.allProfiles}
              </Link>
            }
          >
            <Stack gap="xs">
              <Text size="sm">{experimentWords.profilesHelp}</Text>
              <PartBoundary part={experimentWords.profiles} resetKey={name}>
                <RunHere experiment={name} />
              </PartBoundary>
            </Stack>
          </Panel>
          <Life />
          <Panel title={experimentWords.assignmentHistory} foldsOnPhone>
            <PartBoundary part={experimentWords.partAssignmentHistory} resetKey={name}>
              <PastUnits experiment={name} />
            </PartBoundary>
          </Panel>
        </Stack>
      </div>
      <PartBoundary part={experimentWords.media} resetKey={name}>
        <LatestProvider>
          <MediaPanel />
        </LatestProvider>
      </PartBoundary>
      <PartBoundary part={experimentWords.audit} resetKey={name}>
        <ExperimentAudit experiment={name} />
      </PartBoundary>
    </Stack>
  );
}
