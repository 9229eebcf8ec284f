import { type CreatedEnrolmentCode, type EnrolmentCode, leaderApi } from '@lcs/contract';
import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { RequestForm, useRequestForm } from '../forms/request-form.tsx';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Moment } from '../ui/moments.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { inventoryWords } from '../words/inventory.ts';
import styles from './inventory.module.css';
import { isOwnMachine, joinCommand } from './join-command.ts';
import { useEnrolmentCodes, useInventoryChange } from './use-inventory.ts';

const nameField: FieldDescriptor = {
  kind: 'text',
  name: 'reactor_unit',
  label: inventoryWords.nameOfUnit,
  hint: inventoryWords.codeNameHelp,
  maxLength: 63,
  isFirst: true,
};

/** A code that was made, and what to do with it. */
function MadeCode({ made, onClose }: { readonly made: CreatedEnrolmentCode; readonly onClose: () => void }) {
  const { data: codes } = useEnrolmentCodes();
  // One that was made a moment ago is missing only when a unit has used it.
  const [wasOpen, setWasOpen] = useState(false);
  const isOpen = codes?.some(({ code_id }) => code_id === made.code_id) ?? false;
  if (isOpen && !wasOpen) setWasOpen(true);
  const command = joinCommand({ origin: location.origin, code: made.code, unit: made.reactor_unit });
  return (
    <Stack gap="sm" role="status">
      <Text className={styles.code}>{made.code}</Text>
      <Text size="sm">{inventoryWords.itWorksOnceUntil(<Moment ms={Date.parse(made.expires_at)} />)}</Text>
      <Code block className={styles.command}>
        {command}
      </Code>
      {wasOpen && codes !== undefined && !isOpen && (
        <Text size="sm" fw={600}>
          {inventoryWords.codeIsUsed}
        </Text>
      )}
      {isOwnMachine(location.hostname) && <Text size="sm">{inventoryWords.addressIsLocal(location.hostname)}</Text>}
      <DialogActions>
        <CopyButton value={command}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? commonWords.copied : inventoryWords.copyCommand}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>{commonWords.done}</Button>
      </DialogActions>
    </Stack>
  );
}

/** Makes a one-time code, and shows it once. */
export function AddUnitDialog({ onClose }: { readonly onClose: () => void }) {
  const { leader } = useServices();
  const [made, setMade] = useState<CreatedEnrolmentCode | null>(null);
  const make = useInventoryChange(async ({ reactor_unit }: { readonly reactor_unit: string }) => {
    const unit = reactor_unit.trim();
    setMade(await leader.createEnrolmentCode({ body: { reactor_unit: unit === '' ? null : unit } }));
  });
  const state = useRequestForm(make, { initialValues: { reactor_unit: '' } });
  const intro = <Text size="sm">{inventoryWords.codeHelp}</Text>;
  return (
    <Dialog isOpen onClose={onClose} title={commonWords.addUnit} closesOutside={false}>
      {made !== null ? (
        <MadeCode made={made} onClose={onClose} />
      ) : (
        <RequestForm {...{ state, intro, onClose }} fields={[nameField]} action={inventoryWords.makeCode} />
      )}
    </Dialog>
  );
}

function OpenCode({ code }: { readonly code: EnrolmentCode }) {
  const { leader } = useServices();
  const may = useMay();
  const { code_id, reactor_unit, expires_at } = code;
  const remove = useInventoryChange(() => leader.voidEnrolmentCode({ params: { code_id } }));
  return (
    <li>
      <Group gap="xs">
        <Text size="sm">
          {inventoryWords.oneTimeCodeForUntil(
            reactor_unit ?? inventoryWords.anyUnit,
            <Moment ms={Date.parse(expires_at)} />,
          )}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          loading={remove.isPending}
          onClick={() => remove.mutate(undefined)}
          aria-label={inventoryWords.voidCodeFor(reactor_unit ?? inventoryWords.anyUnit)}
          {...may(leaderApi.voidEnrolmentCode)}
        >
          {inventoryWords.void}
        </Button>
      </Group>
      {remove.error && <ProblemAlert error={remove.error} />}
    </li>
  );
}

/** One-time codes that can be used, without the codes themselves. */
export function OpenCodes() {
  const { data = [] } = useEnrolmentCodes();
  if (data.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={inventoryWords.oneTimeCodes}>
      {data.map((code) => (
        <OpenCode key={code.code_id} code={code} />
      ))}
    </ul>
  );
}
