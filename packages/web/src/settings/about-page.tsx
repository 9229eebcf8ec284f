import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useLeaderIdentity } from '../services/queries.ts';
import styles from './leader-page.module.css';

/** Versions, licences and where to read more. */
export function AboutPage() {
  const identity = useLeaderIdentity();
  return (
    <Stack>
      <title>About – Leader Control Service</title>
      <Title order={1} size="h2">
        Leader Control Service
      </Title>
      <Text>Version {identity?.version ?? '…'}. Control and data of a cluster of small bioreactors. Licence: MIT.</Text>
      <Anchor href="/api/docs" w="fit-content">
        Reference of the API
      </Anchor>
      <section aria-labelledby="libraries">
        <h2 id="libraries" className={styles.heading}>
          Libraries of the web UI
        </h2>
        <ul className={styles.libraries}>
          {__LIBRARIES__.map(({ name, version, license }) => (
            <li key={name}>
              <span>{name}</span>
              <span className={styles.detail}>
                {version} · {license}
              </span>
            </li>
          ))}
        </ul>
      </section>
    </Stack>
  );
}
