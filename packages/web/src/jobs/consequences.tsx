import { Alert, Text } from '@mantine/core';
import { useEffect } from 'react';
import styles from './start-job.module.css';

/** What a start will do, beside its button: visible before it is requested, however long the form is. */
export function Consequences({ texts }: { readonly texts: readonly string[] }) {
  const height = texts.length;
  // It appears, and grows, over the end of the form, where a person may be typing.
  useEffect(() => {
    if (height === 0) return;
    document.activeElement?.scrollIntoView({ block: 'nearest' });
  }, [height]);
  return (
    <Alert className={styles.consequences} color="blue" variant="light" p="xs" role="status" data-covers>
      {texts.map((text) => (
        <Text key={text} size="sm">
          {text}
        </Text>
      ))}
    </Alert>
  );
}
