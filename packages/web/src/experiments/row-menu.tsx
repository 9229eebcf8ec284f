import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { DotsIcon } from '../ui/icons.tsx';
import type { OpenDialog } from './dialogs.ts';
import type { ExperimentRow } from './experiment-rows.ts';

interface RowMenuProps {
  readonly row: ExperimentRow;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: (row: ExperimentRow) => void;
}

/** What can be done with one experiment of a list. */
export function RowMenu({ row, onDialog, onDuplicate }: RowMenuProps) {
  const { experiment } = row;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${experiment.experiment}`}>
          <DotsIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          renderRoot={(props) => (
            <Link to="/experiments/$experiment" params={{ experiment: experiment.experiment }} {...props} />
          )}
        >
          Open
        </Menu.Item>
        <Menu.Item onClick={() => onDialog({ kind: 'edit', experiment })}>Edit description and tags</Menu.Item>
        <Menu.Item onClick={() => onDuplicate(row)}>Duplicate</Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" onClick={() => onDialog({ kind: 'delete', row })}>
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
