"""Everything that the command says to a person, in Chinese and English."""

from __future__ import annotations

from typing import Any

from context.types import Language

# key: (Chinese, English). Names in braces are filled in; both wordings use the same ones (a test holds that).
MESSAGES: dict[str, tuple[str, str]] = {
    # errors: the sentence itself comes from where it arose
    "error_ConfigurationError": ("配置有误：{message}", "Configuration: {message}"),
    "error_NotFoundError": ("{message}", "{message}"),
    "error_ConflictError": ("{message}", "{message}"),
    "error_CallerError": ("{message}", "{message}"),
    "error_StorageError": ("数据库出错：{message}", "Database: {message}"),
    "error_ModelError": ("模型出错：{message}", "Model: {message}"),
    "error_PocketMindError": ("出错：{message}", "Error: {message}"),
    "bug": (
        "这是 PocketMind 自身的缺陷（{kind}），不是您的问题；细节记录在 {log}",
        "This is a bug in PocketMind ({kind}), not a mistake of yours; the details are in {log}",
    ),
    "bug_unlogged": (
        "这是 PocketMind 自身的缺陷（{kind}：{message}）；日志也无法写入：{reason}",
        "This is a bug in PocketMind ({kind}: {message}); the log cannot be written either: {reason}",
    ),
    # long work
    "starting_database": (
        "正在启动内嵌的 PostgreSQL……（首次需要几秒）",
        "starting the embedded PostgreSQL… (the first time takes a few seconds)",
    ),
    "progress": ("{what}：{done}/{total}，约剩 {seconds} 秒", "{what}: {done}/{total}, about {seconds} s left"),
    "embedding": ("计算向量", "embedding"),
    "importing": ("导入", "importing"),
    "committing": ("整理记忆", "distilling memory"),
    "reading": ("读取", "reading"),
    "not_read": ("  ✗ {title}：{reason}", "  ✗ {title}: {reason}"),
    "not_read_more": ("  ……另有 {count} 个未能读取", "  … and {count} more that could not be read"),
    "finish_interrupted": (
        "已中断，没有丢失任何内容：其余 {left} 个文件或长笔记会在 `pocketmind run` 或 `pocketmind worker` 运行时处理",
        "stopped, and nothing is lost: {left} files or long notes are read when `pocketmind run` or "
        "`pocketmind worker` runs",
    ),
    "vectors_refused": (
        "{count} 项无法计算向量，只能按文字找到：{reason}",
        "{count} items cannot be embedded and are found by words only: {reason}",
    ),
    "vectors_done": ("已补齐 {stored} 个向量", "{stored} vectors stored"),
    "vectors_interrupted": (
        "已中断：文字检索现在就可用；其余 {left} 项的向量会在 `pocketmind run` 或 `pocketmind worker` 运行时补上",
        "stopped: words are searchable already; the vectors of {left} items follow when `pocketmind run` or "
        "`pocketmind worker` runs",
    ),
    "vectors_skipped": (
        "未计算向量：文字检索现在就可用；向量会在 `pocketmind run` 或 `pocketmind worker` 运行时补上",
        "no vectors made: words are searchable already; vectors follow when `pocketmind run` or "
        "`pocketmind worker` runs",
    ),
    "vectors_missing": (
        "没有可用的向量模型，只能按文字检索：{reason}",
        "there is no embedder, so only words are searched: {reason}",
    ),
    "vectors_failed": (
        "向量模型没有回应（{reason}）；文字检索仍可用，其余 {left} 项稍后补上",
        "the embedder failed ({reason}); words are searchable, {left} items follow later",
    ),
    # notes
    "import_summary": (
        "新增 {imported}，更新 {updated}，未变 {unchanged}，移动 {moved}，删除 {deleted}，文件 {files}，"
        "冲突 {conflicts}，失败 {failed}",
        "{imported} imported, {updated} updated, {unchanged} unchanged, {moved} moved, {deleted} deleted, "
        "{files} files, {conflicts} conflicts, {failed} failed",
    ),
    "import_failed": ("  ✗ {path}：{reason}", "  ✗ {path}: {reason}"),
    "import_conflicts": ("  ⇄ {path}：{reason}", "  ⇄ {path}: {reason}"),
    "import_skipped_deleted": ("  – {path}：{reason}", "  – {path}: {reason}"),
    "import_notices": ("  ! {path}：{reason}", "  ! {path}: {reason}"),
    "import_deleted": ("  已删除 {path}", "  deleted {path}"),
    "import_more": ("  ……另有 {count} 条", "  … and {count} more"),
    "import_skipped": ("  {count} 个文件没有能读取的格式：{kinds}", "  {count} files that nothing reads: {kinds}"),
    "import_empty": (
        "{folder} 里没有能读取的文件（.md、.markdown、.txt，或 PDF、Office 等）",
        "there are no .md, .markdown or .txt files in {folder}, nor others that can be read",
    ),
    "import_interrupted": (
        "已中断；已写入的 {stored} 项保留，再次运行会从这里继续",
        "stopped; the {stored} that were stored stay, and the same command goes on from here",
    ),
    "both_deletions": ("--prune 与 --keep-deleted 不能同时使用", "--prune and --keep-deleted exclude each other"),
    "watch_began": ("正在监视 {path}，Ctrl-C 停止", "watching {path}; Ctrl-C stops"),
    "watch_ended": ("已停止监视；已导入的内容保留", "no longer watching; what was imported stays"),
    "watch_waits": ("数据库暂时不可用（{reason}），稍后重试", "the database does not answer ({reason}); trying again"),
    "watch_imported": ("+ 新增 {path}", "+ new {path}"),
    "watch_updated": ("~ 更新 {path}", "~ changed {path}"),
    "watch_moved": ("→ 移动 {before} → {path}", "→ moved {before} → {path}"),
    "watch_deleted": ("- 删除 {path}", "- deleted {path}"),
    "watch_file": ("+ 文件 {path}", "+ file {path}"),
    "note_added": ("已保存笔记 {note_id}", "saved as note {note_id}"),
    "note_changed": ("笔记 {note_id} 已更新，现为第 {revision} 版：", "note {note_id} is now at revision {revision}:"),
    "note_unchanged": (
        "没有改动：笔记 {note_id} 本来就是这样（第 {revision} 版）",
        "nothing has changed: note {note_id} is like that already (revision {revision})",
    ),
    "change_line": ("  {field}：{before} → {after}", "  {field}: {before} → {after}"),
    "change_body": ("  正文：增加 {added} 行，删去 {removed} 行", "  text: {added} lines added, {removed} removed"),
    "field_title": ("标题", "title"),
    "field_folder": ("文件夹", "folder"),
    "field_tags": ("标签", "tags"),
    "field_kind": ("类型", "kind"),
    "field_pinned": ("置顶", "pinned"),
    "value_none": ("（无）", "(none)"),
    "value_yes": ("是", "yes"),
    "value_no": ("否", "no"),
    "both_tags": ("--tag 与 --no-tags 不能同时使用", "--tag and --no-tags exclude each other"),
    "both_bodies": ("--body 与 --editor 不能同时使用", "--body and --editor exclude each other"),
    "edit_nothing": (
        "没有写要改什么；请给出选项，例如 --title 或 --body",
        "nothing to change was given; name it, for example with --title or --body",
    ),
    "edit_kept": ("您写的内容保留在 {file}", "what you have written is kept in {file}"),
    "rm_needs_yes": (
        "删除无法撤销；不在终端里运行时请加 --yes",
        "deleting cannot be undone; where nobody can be asked, add --yes",
    ),
    "rm_ask": (
        "删除以上 {count} 条笔记，连同所有旧版本和只依据它们的记忆？无法撤销。[y/N]",
        "delete these {count} notes, with every version and the memories that rest on them alone? "
        "It cannot be undone. [y/N]",
    ),
    "rm_more": ("  ……另有 {count} 条", "  … and {count} more"),
    "rm_kept": ("没有删除任何内容", "nothing was deleted"),
    "rm_done": (
        "已删除 {count} 条笔记；随之删除 {memories_erased} 条记忆，另有 {memories_poorer} 条失去部分依据，将重新合并",
        "{count} notes deleted; {memories_erased} memories went with them, and {memories_poorer} that have lost a "
        "source are to be merged again",
    ),
    "none_notes": (
        "还没有笔记。试试：pocketmind notes import 文件夹",
        "no notes yet; try: pocketmind notes import PATH",
    ),
    "col_notes": ("编号|类型|标题|文件夹|标签|更新于", "id|kind|title|folder|tags|updated"),
    # sessions
    "none_sessions": ("还没有会话。试试：pocketmind chat", "no sessions yet; try: pocketmind chat"),
    "col_sessions": ("编号|标题|消息|未整理|更新于", "id|title|messages|uncommitted|updated"),
    "col_imported": ("会话|标题|新增|已有|提交|新记忆", "session|title|imported|known|commits|memories"),
    "bad_line": ("  ✗ 第 {line} 行：{reason}", "  ✗ line {line}: {reason}"),
    "bad_lines_more": ("  ……另有 {count} 行无法读取", "  … and {count} more lines that cannot be read"),
    "sessions_interrupted": (
        "已中断；已导入的内容保留，再次运行会继续",
        "stopped; what was imported stays, and the same command goes on from here",
    ),
    "bad_conversation": ("  ✗ 对话 {conversation}：{reason}", "  ✗ conversation {conversation}: {reason}"),
    "bad_archive": ("  ✗ {reason}", "  ✗ {reason}"),
    "bad_conversations_more": ("  ……另有 {count} 处", "  … and {count} more"),
    "sessions_more": (
        "……另有 {count} 个会话；全部会话：pocketmind sessions list",
        "… and {count} more sessions; all of them: pocketmind sessions list",
    ),
    "assets_stored": ("已保存 {count} 个附件", "{count} attachments stored"),
    "archive_broken_json": (
        "JSON 在此处损坏（{detail}），其后的内容无法读取",
        "the JSON is broken here ({detail}); what follows cannot be read",
    ),
    "archive_damaged": (
        "文件在此处损坏（{detail}），其后的内容无法读取",
        "the file is damaged here ({detail}); what follows cannot be read",
    ),
    "archive_bad_file": ("无法读取文件 {name}（{detail}）", "the file {name} cannot be read ({detail})"),
    "archive_large_file": ("文件 {name} 超过 {megabytes} MB，未保存", "the file {name} is larger than {megabytes} MB"),
    "archive_missing_files": (
        "{count} 个附件只有名字，导出文件中没有其内容",
        "{count} attachments are named, but the archive does not hold them",
    ),
    "archive_encrypted": ("{name} 已加密，未读取", "{name} is encrypted; it was left out"),
    "archive_zip_bomb": ("{name} 解压后大得不合常理，未读取", "{name} would unpack to far too much; it was left out"),
    "archive_unsafe_names": (
        "{count} 个文件的路径会指向文件夹之外，未读取",
        "{count} files have names that lead out of a folder; they were left out",
    ),
    "archive_too_deep": ("嵌套超过 {most} 层", "nested more than {most} levels deep"),
    "archive_too_large": ("超过 {megabytes} MB", "larger than {megabytes} MB"),
    "archive_not_a_conversation": ("不是对话", "not a conversation"),
    "archive_no_messages": ("没有消息", "it holds no messages"),
    "archive_repeated": (
        "同一编号的对话出现了不止一次，只补充了新的消息",
        "a conversation of this id came before; only its new messages were added",
    ),
    "archive_refused": ("无法保存：{message}", "it cannot be stored: {message}"),
    "archive_loop": (
        "消息之间的先后关系有 {count} 处循环，已断开",
        "the messages answer each other in {count} loops, which were cut",
    ),
    "archive_replaced": (
        "{count} 个无法保存的字符已替换为 U+FFFD",
        "{count} characters that cannot be stored were replaced by U+FFFD",
    ),
    "archive_undated": (
        "{count} 条消息没有可用的时间，采用了前一条的时间",
        "{count} messages tell no usable time; they took that of the one before",
    ),
    "archive_long_messages": (
        "{count} 条过长的消息：会话中保留开头，全文存为附件",
        "{count} messages are too long: the session holds their beginnings, and files the whole",
    ),
    "archive_duplicates": (
        "{count} 条消息与前面的消息编号相同，未导入",
        "{count} messages have the id of an earlier one; they were left out",
    ),
    "archive_unknown_roles": (
        "{count} 条消息的发送者无法识别，未导入",
        "{count} messages have an unknown sender; they were left out",
    ),
    "archive_unread_content": (
        "{count} 处内容的类型无法读取：{kinds}",
        "{count} pieces of content are of types that cannot be read: {kinds}",
    ),
    "nothing_read": ("{file} 里没有可用的消息", "there is no usable message in {file}"),
    "commit_skipped": (
        "未整理记忆；之后可运行：pocketmind sessions commit 会话编号",
        "nothing was distilled; later: pocketmind sessions commit SESSION",
    ),
    "commit_summary": (
        "整理完成（{state}）：{messages} 条消息，提取 {memories} 条记忆",
        "commit {state}: {messages} messages, {memories} memories extracted",
    ),
    "commit_reason": ("  说明：{reason}", "  why: {reason}"),
    "commit_interrupted": (
        "已中断；再次运行会从停下的地方继续",
        "stopped; the same command goes on from here",
    ),
    "col_candidates": ("类型|结果|原因|记忆", "type|outcome|reason|memory"),
    "session_head": (
        "{title}  {session_id}\n消息 {messages} · 未整理 {waiting} · 记忆策略 {policy}",
        "{title}  {session_id}\n{messages} messages · {waiting} uncommitted · memory policy {policy}",
    ),
    "session_commits": ("整理记录：{commits}", "commits: {commits}"),
    "cut_messages": ("（只显示最近 {shown} 条，共 {total} 条）", "(the last {shown} of {total} messages)"),
    # memory
    "col_browse": ("类型|数量|摘要", "type|count|abstract"),
    "col_audit": ("编号|类型|状态|内容|生效|失效|原因", "id|type|status|memory|from|until|reason"),
    "col_search": ("编号|类型|分数|内容", "id|type|score|memory"),
    "none_found": ("没有找到相关内容", "nothing relevant was found"),
    "none_memories": ("没有这样的记忆", "there are no such memories"),
    "evidence": ("依据", "evidence"),
    "history": ("历史", "history"),
    # retrieval
    "col_matches": ("序|分数|类型|来源|内容", "#|score|kind|source|text"),
    "plan_line": (
        "计划：{task_type}（{source}）· 检索 {queries} 条 · Tier-{tier}：{reason}",
        "plan: {task_type} ({source}) · {queries} queries · Tier-{tier}: {reason}",
    ),
    "windows_line": ("时间范围：{windows}", "days: {windows}"),
    "explain_walk": ("检索路径", "the walk"),
    "explain_start": ("起点（{count}）", "starting points ({count})"),
    "explain_expand": (
        "展开 {uri}　分数 {score:.4f}　子节点 {children}　叶子 {leaves}",
        "expand {uri}  score {score:.4f}  {children} children  {leaves} leaves so far",
    ),
    "explain_lane": ("全局通道补入 {joined} 项", "the global lane adds {joined}"),
    "explain_cut": ("低于下限 {floor:.2f}：{below} 项", "below the floor of {floor:.2f}: {below}"),
    "explain_parts": ("分数的每一部分", "every part of every score"),
    "ledger": ("账目", "ledger"),
    "col_ledger": ("处置|层级|部分|地址|原因", "decision|tier|section|address|reason"),
    "context_line": (
        "Tier-{tier}：{reason} · {tokens} tokens · miv {miv}",
        "Tier-{tier}: {reason} · {tokens} tokens · miv {miv}",
    ),
    # chat
    "chat_session": ("会话 {session_id}", "session {session_id}"),
    "chat_hello": (
        "PocketMind（{model}）。输入消息开始；/help 查看命令，Ctrl-C 停止当前回答，Ctrl-D 结束",
        "PocketMind ({model}). Type a message; /help lists commands, Ctrl-C stops an answer, Ctrl-D ends",
    ),
    "chat_help": (
        "/commit 整理本会话的记忆   /new 新会话   /sessions 最近的会话   /memory 我的记忆   /help 帮助   /quit 结束",
        "/commit distil this session   /new a new session   /sessions recent ones   /memory what is known   "
        "/help this   /quit end",
    ),
    "chat_unknown": ("没有命令 {name}；/help 列出所有命令", "there is no command {name}; /help lists them"),
    "chat_stopped": ("（已停止）", "(stopped)"),
    "chat_idle": ("（Ctrl-D 结束）", "(Ctrl-D ends)"),
    "needs_message": (
        "--json 需要 --message：交互式对话不输出 JSON",
        "--json needs --message: an interactive chat is no JSON document",
    ),
    "both_sessions": ("--new 与 --session 不能同时使用", "--new and --session exclude each other"),
    # database, worker
    "db_external": (
        "已设置 DATABASE_URL，该数据库不由 PocketMind 启停",
        "DATABASE_URL is set: that server is not ours to start or stop",
    ),
    "db_started": ("PostgreSQL 已启动：端口 {port}，进程 {pid}", "PostgreSQL has started: port {port}, pid {pid}"),
    "db_runs": ("PostgreSQL 已在运行：端口 {port}，进程 {pid}", "PostgreSQL runs already: port {port}, pid {pid}"),
    "db_stopped": ("PostgreSQL 已停止", "PostgreSQL has stopped"),
    "db_idle": ("PostgreSQL 没有在运行", "PostgreSQL is not running"),
    "db_status": (
        "{state}  版本 {version}  端口 {port}  进程 {pid}\n数据 {folder}（{size:.1f} MB）",
        "{state}  version {version}  port {port}  pid {pid}\ndata {folder} ({size:.1f} MB)",
    ),
    "state_running": ("运行中", "running"),
    "state_stopped": ("未运行", "stopped"),
    "worker_started": ("工作进程已启动，Ctrl-C 停止", "the worker runs; Ctrl-C stops it"),
    "worker_stopped": ("工作进程已停止", "the worker has stopped"),
    # evaluation
    "eval_storing": ("导入对话（条）", "storing messages"),
    "eval_embedding": ("计算向量（条）", "embedding messages"),
    "eval_planning": ("分析问题", "planning questions"),
    "eval_asking": ("检索", "asking"),
    "eval_refusing": ("检索无关问题", "asking what is not there"),
    "eval_ablating": ("消融", "ablation"),
    "eval_plots": ("图表已写入 {files}", "plots written: {files}"),
    "eval_no_plots": (
        "没有安装 matplotlib，未画图（pip install matplotlib）；数据在 --json 的输出里",
        "matplotlib is not installed, so nothing is drawn (pip install matplotlib); --json has the numbers",
    ),
    # jobs
    "col_jobs": ("编号|任务|状态|次数|下次尝试|对象|原因", "id|task|status|attempts|next try|about|why"),
    "job_todo": ("等待", "waiting"),
    "job_doing": ("进行中", "running"),
    "job_failed": ("失败", "failed"),
    "job_aborted": ("被中止", "aborted"),
    "job_cancelled": ("已取消", "cancelled"),
    "none_jobs": ("没有等待或失败的任务", "nothing waits, and nothing failed"),
    "none_failed_jobs": ("没有失败的任务", "no job has failed"),
    "jobs_retried": (
        "{count} 个任务将重新运行；需要 `pocketmind run` 或 `pocketmind worker` 在运行",
        "{count} jobs run again, as soon as `pocketmind run` or `pocketmind worker` runs",
    ),
    # material
    "rebuilding": ("重建", "rebuilding"),
    "rebuild_notes": ("笔记", "notes"),
    "rebuild_files": ("文件", "files"),
    "rebuild_stages": ("会话阶段", "stages"),
    "rebuild_memories": ("记忆", "memories"),
    "rebuild_links": ("链接", "links"),
    "rebuild_uses": ("引用", "uses"),
    "rebuild_containers": ("目录", "containers"),
    "rebuild_intact": ("索引完好，没有需要修改的内容", "the index is intact: nothing to change"),
    "rebuild_done": (
        "已修复：节点版本 {changed}，材料记录 {records}，引用 {references}，重写词条 {words}，清除残留 {erased}",
        "mended: {changed} versions of nodes, {records} records, {references} references, words of {words} nodes, "
        "{erased} left-overs erased",
    ),
    "rebuild_would": (
        "将会修改：节点版本 {changed}，材料记录 {records}，引用 {references}，重写词条 {words}，清除残留 {erased}",
        "would change: {changed} versions of nodes, {records} records, {references} references, words of {words} "
        "nodes, {erased} left-overs erased",
    ),
    "rebuild_unreadable": (
        "  ! {name} 这次没能读取，保留之前的内容：{reason}",
        "  ! {name} could not be read this time and keeps what was read before: {reason}",
    ),
    "rebuild_interrupted": (
        "已中断；已完成的部分保留，再次运行会继续",
        "stopped; what was done stays, and the same command goes on from here",
    ),
    "none_resources": ("没有这样的材料", "there is no such material"),
    "resources_more": (
        "（只显示 {shown} 项，共 {total} 项；--limit 可多列）",
        "({shown} of {total}; --limit shows more)",
    ),
    "col_resources": (
        "编号|状态|类型|标题|分块|来源|更新于|说明",
        "id|status|type|title|chunks|source|updated|reason",
    ),
    "material_pending": ("等待", "pending"),
    "material_ready": ("就绪", "ready"),
    "material_failed": ("失败", "failed"),
    "material_deleted": ("已删除", "deleted"),
    "material_facts": ("材料", "material"),
    "material_source": ("来源", "source"),
    "material_gone": (
        "来源已不存在；pocketmind rebuild 会清除残留",
        "its source is gone; pocketmind rebuild erases the rest",
    ),
    "material_reason": ("说明：{reason}", "why: {reason}"),
    "material_updated": ("更新于 {at}", "updated {at}"),
    "material_note": ("笔记《{title}》 {id}", "note “{title}” {id}"),
    "material_file": ("文件 {name}（{bytes} 字节）{id}", "file {name} ({bytes} bytes) {id}"),
    "material_session": ("会话《{title}》{id}，{messages} 条消息", "session “{title}” {id}, {messages} messages"),
    "material_abstract": ("摘要（L0，{by}）", "abstract (L0, {by})"),
    "material_overview": ("概览（L1）", "overview (L1)"),
    "material_by_rule": ("由规则生成", "by rule"),
    "material_by": ("由 {model} 撰写", "by {model}"),
    "material_chunks": ("分块：{count}，其中 {embedded} 个有向量", "chunks: {count}, {embedded} with a vector"),
    "material_waits": ("尚无向量", "no vector yet"),
    "material_points": ("指向", "points to"),
    "material_pointed": ("被指向", "pointed to by"),
    # doctor
    "col_settings": ("设置|值|来源", "setting|value|source"),
    "col_checks": ("检查|结果|说明", "part|result|detail"),
    "check_ok": ("正常", "ok"),
    "check_note": ("注意", "note"),
    "check_problem": ("问题", "problem"),
    "doctor_ok": ("一切正常", "all is well"),
    "doctor_problems": ("发现 {count} 个问题：", "problems found: {count}"),
}


def tell(language: Language, key: str, **values: Any) -> str:
    """A message in a language, with its values filled in."""
    return MESSAGES[key][0 if language == "zh" else 1].format(**values)
