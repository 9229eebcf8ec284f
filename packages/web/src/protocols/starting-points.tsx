import { Button, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { protocolsWords } from '../words/protocols.ts';
import { newProfile } from './editor-search.ts';
import { ProfileSteps } from './profile-steps.tsx';
import styles from './protocols.module.css';
import { useProfileLibrary } from './use-profiles.ts';

/** The documented profiles of the library. */
export function StartingPoints() {
  const { data, error, isPending, isFetching, refetch } = useProfileLibrary();
  return (
    <Panel title={protocolsWords.startingPoints}>
      {error && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {isPending && <Skeleton height={120} role="status" aria-label={protocolsWords.loadingLibrary} />}
      <ul className={styles.points}>
        {data?.map(({ filename, experiment_profile_name: name, description, text }) => (
          <li key={filename} className={styles.point} data-starting-point={filename}>
            <h3 className={styles.name}>{name}</h3>
            <Text size="sm">{description}</Text>
            <ProfileSteps text={text} name={name} />
            <div>
              <Button
                size="xs"
                variant="default"
                aria-label={protocolsWords.asStartingPointNamed(name)}
                renderRoot={(props) => (
                  <Link to="/protocols/$file" params={{ file: newProfile }} search={{ from: filename }} {...props} />
                )}
              >
                {protocolsWords.asStartingPoint}
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
