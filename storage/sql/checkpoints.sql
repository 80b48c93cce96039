-- name: become_janitor
-- For this transaction: a role that may only delete checkpoints.
set local role pm_janitor

-- name: delete_writes
-- Pending writes of a thread.
delete from pm_checkpoint.checkpoint_writes where thread_id = %(thread_id)s

-- name: delete_blobs
-- Channel values of a thread.
delete from pm_checkpoint.checkpoint_blobs where thread_id = %(thread_id)s

-- name: delete_checkpoints
-- Checkpoints of a thread.
delete from pm_checkpoint.checkpoints where thread_id = %(thread_id)s

-- name: delete_writes_of_runs
-- Pending writes of the checkpoints that runs wrote.
delete from pm_checkpoint.checkpoint_writes w using pm_checkpoint.checkpoints c
where w.thread_id = c.thread_id and w.checkpoint_ns = c.checkpoint_ns and w.checkpoint_id = c.checkpoint_id
  and c.metadata ->> 'run_id' = any(%(run_ids)s)

-- name: delete_checkpoints_of_runs
-- The checkpoints that runs wrote.
delete from pm_checkpoint.checkpoints where metadata ->> 'run_id' = any(%(run_ids)s)

-- name: copy_checkpoints
-- A thread's checkpoints under another thread id.
insert into pm_checkpoint.checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint,
  metadata)
select %(target)s, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
from pm_checkpoint.checkpoints where thread_id = %(source)s

-- name: copy_blobs
-- A thread's channel values under another thread id.
insert into pm_checkpoint.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
select %(target)s, checkpoint_ns, channel, version, type, blob
from pm_checkpoint.checkpoint_blobs where thread_id = %(source)s

-- name: copy_writes
-- A thread's pending writes under another thread id.
insert into pm_checkpoint.checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob,
  task_path)
select %(target)s, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path
from pm_checkpoint.checkpoint_writes where thread_id = %(source)s
