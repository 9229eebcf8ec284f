import type { ExperimentProfileEntry } from '@lcs/contract';
import { Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { WarningIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import styles from './protocols.module.css';
import { useProfiles } from './use-profiles.ts';

/** For whom the profile is. */
function unitsText({ common, reactors }: ExperimentProfileEntry['experimentProfile']): string {
  const units = Object.keys(reactors);
  const all = Object.keys(common.jobs).length > 0 || units.length === 0 ? [commonWords.allUnitsInline] : [];
  return [...all, ...units].join(', ');
}

function SavedProfile({
  entry: { experimentProfile: profile, file, parse_error },
}: {
  readonly entry: ExperimentProfileEntry;
}) {
  return (
    <li className={styles.item} data-profile={file}>
      <div className={styles.about}>
        {/* A file that cannot be read has a placeholder for a name. */}
        <h3 className={styles.name}>
          <Link to="/protocols/$file" params={{ file }} className="page-link">
            {parse_error === undefined ? profile.experiment_profile_name : file}
          </Link>
        </h3>
        {parse_error === undefined && (
          <Text size="sm">
            {protocolsWords.durationForUnits(<span className={styles.file}>{file}</span>, unitsText(profile))}
          </Text>
        )}
        {profile.metadata.description && <Text size="sm">{profile.metadata.description}</Text>}
        {parse_error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" translate="no">
            <WarningIcon size={14} /> {protocolsWords.cannotBeUsed(parse_error)}
          </Text>
        )}
      </div>
    </li>
  );
}

/** The profiles that are saved on the leader, with the faults of those that cannot be used. */
export function SavedProfiles() {
  const { data, error, isPending, isFetching, refetch } = useProfiles();
  return (
    <Panel title={protocolsWords.savedProfiles}>
      {error && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {isPending && <Skeleton height={60} role="status" aria-label={protocolsWords.loadingProfiles} />}
      {data?.length === 0 && <Text size="sm">{protocolsWords.noProfilesYet}</Text>}
      {data !== undefined && data.length > 0 && (
        <ul className={styles.list}>
          {data.map((entry) => (
            <SavedProfile key={entry.file} entry={entry} />
          ))}
        </ul>
      )}
    </Panel>
  );
}
