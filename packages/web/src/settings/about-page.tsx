import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useLeaderIdentity } from '../services/queries.ts';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';
import styles from './leader-page.module.css';

/** Versions, licences and where to read more. */
export function AboutPage() {
  const identity = useLeaderIdentity();
  return (
    <Stack>
      <title>{commonWords.pageTitle(settingsWords.about)}</title>
      <Title order={1} size="h2">
        {commonWords.productName}
      </Title>
      <Text>{settingsWords.aboutProgram(identity?.version ?? '…')}</Text>
      <Anchor href="/api/docs" w="fit-content">
        {settingsWords.referenceOfApi}
      </Anchor>
      <section aria-labelledby="libraries">
        <h2 id="libraries" className={styles.heading}>
          {settingsWords.librariesOfWebUi}
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
