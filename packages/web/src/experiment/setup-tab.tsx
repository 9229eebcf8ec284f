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
      title="Design"
      aside={
        <Button
          variant="default"
          size="xs"
          onClick={() => onDialog({ kind: 'edit', row })}
          {...may(leaderApi.updateExperiment)}
        >
          Edit
        </Button>
      }
    >
      <dl className={styles.facts}>
        <dt>Organism, strain</dt>
        <dd>{organism || 'not stated'}</dd>
        <dt>Medium</dt>
        <dd>{medium || 'not stated'}</dd>
        <dt>Tags</dt>
        <dd>{tags.join(', ') || 'none'}</dd>
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
      title="People"
      foldsOnPhone
      aside={
        <Button variant="default" size="xs" onClick={() => onDialog({ kind: 'access', experiment: name })}>
          Owner and members…
        </Button>
      }
    >
      {access && (
        <dl className={styles.facts}>
          <dt>Created by</dt>
          <dd>{access.created_by ?? 'nobody with an account'}</dd>
          <dt>Owner</dt>
          <dd>{access.owner ?? 'nobody'}</dd>
          <dt>Members</dt>
          <dd>{access.members.join(', ') || 'nobody'}</dd>
          <dt>Who acts</dt>
          <dd>{access.is_protected ? 'owner, members and administrators' : 'every operator'}</dd>
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
    <Panel title="End and archive">
      <Stack gap="sm">
        <Text size="sm">
          {row.endedAtMs === null ? (
            'The end stops all jobs. All data are kept.'
          ) : (
            <>
              Ended <Moment ms={row.endedAtMs} />.
            </>
          )}{' '}
          {isArchived
            ? 'It is archived: lists show it on request only.'
            : 'An archived experiment is kept, and lists show it on request only.'}
        </Text>
        <Group gap="xs">
          {row.endedAtMs === null ? (
            <Button
              variant="default"
              className="danger"
              onClick={() => onDialog({ kind: 'end', row })}
              {...may(leaderApi.updateExperiment)}
            >
              End…
            </Button>
          ) : (
            <Button
              variant="default"
              loading={change.isPending}
              onClick={() => change.mutate({ ended_at: null })}
              {...may(leaderApi.updateExperiment)}
            >
              Reopen
            </Button>
          )}
          <Button
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate({ archived: !isArchived })}
            {...may(leaderApi.updateExperiment)}
          >
            {isArchived ? 'Unarchive' : 'Archive'}
          </Button>
          <Button variant="default" onClick={() => onDuplicate(row)} {...may(leaderApi.createExperiment)}>
            Copy with its set-up…
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
            title="Units, labels and groups"
            aside={
              <Link to="/experiments/$experiment/units" params={{ experiment: name }} className="page-link">
                Assign units
              </Link>
            }
          >
            <PartBoundary part="The labels and groups" resetKey={name}>
              <SetupUnits />
            </PartBoundary>
          </Panel>
          <PartBoundary part="The description" resetKey={name}>
            <DescriptionEditor experiment={name} description={row.experiment.description ?? ''} />
          </PartBoundary>
        </Stack>
        <Stack gap="md">
          <People />
          <Panel
            title="Protocol"
            foldsOnPhone
            aside={
              <Link to="/protocols" className="page-link">
                All profiles
              </Link>
            }
          >
            <Stack gap="xs">
              <Text size="sm">
                A profile runs the steps of a protocol by itself. A running one is shown at the top of this page.
              </Text>
              <PartBoundary part="The profiles" resetKey={name}>
                <RunHere experiment={name} />
              </PartBoundary>
            </Stack>
          </Panel>
          <Life />
          <Panel title="History of assignments" foldsOnPhone>
            <PartBoundary part="The history of assignments" resetKey={name}>
              <PastUnits experiment={name} />
            </PartBoundary>
          </Panel>
        </Stack>
      </div>
      <PartBoundary part="The media" resetKey={name}>
        <LatestProvider>
          <MediaPanel />
        </LatestProvider>
      </PartBoundary>
      <PartBoundary part="The audit" resetKey={name}>
        <ExperimentAudit experiment={name} />
      </PartBoundary>
    </Stack>
  );
}
