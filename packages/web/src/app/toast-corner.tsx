import { Notifications } from '@mantine/notifications';
import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import styles from './toast-corner.module.css';

/** Draws the notices. */
export default function ToastCorner() {
  // A long sentence in the narrow column is higher than the library expects: it must not be cut.
  return <Notifications position="bottom-left" limit={4} notificationMaxHeight={640} className={styles.corner ?? ''} />;
}
