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
        "新增 {imported}，更新 {updated}，未变 {unchanged}，失败 {failed}",
        "{imported} imported, {updated} updated, {unchanged} unchanged, {failed} failed",
    ),
    "import_failed": ("  ✗ {path}：{reason}", "  ✗ {path}: {reason}"),
    "import_notice": ("  ! {path}：{reason}", "  ! {path}: {reason}"),
    "import_empty": (
        "{folder} 里没有 .md、.markdown 或 .txt 文件",
        "there are no .md, .markdown or .txt files in {folder}",
    ),
    "import_interrupted": (
        "已中断；已导入的内容保留，再次运行会继续",
        "stopped; what was imported stays, and the same command goes on from here",
    ),
    "note_added": ("已保存笔记 {note_id}", "saved as note {note_id}"),
    "none_notes": (
        "还没有笔记。试试：pocketmind notes import 文件夹",
        "no notes yet; try: pocketmind notes import DIR",
    ),
    "col_notes": ("编号|类型|标题|文件夹|标签|更新于", "id|kind|title|folder|tags|updated"),
    # sessions
    "none_sessions": ("还没有会话。试试：pocketmind chat", "no sessions yet; try: pocketmind chat"),
    "col_sessions": ("编号|标题|消息|未整理|更新于", "id|title|messages|uncommitted|updated"),
    "col_imported": ("会话|标题|新增|已有|提交|新记忆", "session|title|imported|known|commits|memories"),
    "bad_line": ("  ✗ 第 {line} 行：{reason}", "  ✗ line {line}: {reason}"),
    "bad_lines_more": ("  ……另有 {count} 行无法读取", "  … and {count} more lines that cannot be read"),
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
