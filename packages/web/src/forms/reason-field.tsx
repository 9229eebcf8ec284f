import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../services/queries.ts';
import { useUnsavedWork } from '../services/services.tsx';
import { commonWords } from '../words/common.ts';

/** The reason that a person states for the audit; whoever has no account need not. */
export function useReason() {
  const isNeeded = useSession()?.kind === 'person';
  const [reason, setReason] = useState('');
  const stated = reason.trim();
  return { reason, setReason, isNeeded, stated, isMissing: isNeeded && stated === '' };
}

/** Where a person states it. */
export function ReasonField({ reason, setReason, isNeeded, stated }: ReturnType<typeof useReason>) {
  useUnsavedWork(stated !== '');
  return (
    <TextInput
      label={isNeeded ? commonWords.reason : commonWords.reasonOptional}
      description={commonWords.auditKeepsIt}
      autoComplete="off"
      maxLength={500}
      value={reason}
      onChange={(event) => setReason(event.currentTarget.value)}
    />
  );
}
