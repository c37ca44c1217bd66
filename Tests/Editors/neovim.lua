-- The language server with Neovim's own client: nvim --headless -u NONE -l or -c 'luafile …'; see `run`.
local root, command = vim.env.EDITOR_PROJECT, vim.env.EDITOR_COMMAND
local file = root .. "/templates/lab-progress.campaign.yml"

local function fail(text)
  io.stderr:write("neovim: " .. text .. "\n")
  vim.cmd("cquit 1")
end

local function check(condition, text)
  if not condition then fail(text) end
end

local function wait(text, condition)
  check(vim.wait(60000, condition, 20), "waited in vain for " .. text)
end

local function main()
  vim.cmd("edit " .. vim.fn.fnameescape(file))
  local buffer = vim.api.nvim_get_current_buf()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  local id = vim.lsp.start_client({
    name = "payloadgen", cmd = { command, "lsp" }, root_dir = root, capabilities = capabilities,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = "project" } },
  })
  vim.lsp.buf_attach_client(buffer, id)
  local client = vim.lsp.get_client_by_id(id)
  wait("the start", function() return client.server_capabilities ~= nil and client.initialized end)

  local function request(method, parameters)
    local answer = client.request_sync(method, parameters, 60000, buffer)
    check(answer and not answer.err, method .. ": " .. vim.inspect(answer))
    return answer.result
  end

  -- The position before the text after a mark, in the units of the client.
  local function at(before, after)
    for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      local start = line:find(before .. after, 1, true)
      if start then
        vim.api.nvim_win_set_cursor(0, { number, start - 1 + #before })
        return vim.lsp.util.make_position_params(0, client.offset_encoding)
      end
    end
    fail("no '" .. before .. after .. "'")
  end

  -- Diagnostics while typing.
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local original = vim.deepcopy(lines)
  local title
  for number, line in ipairs(lines) do
    if line:find("  title:", 1, true) then title = number end
  end
  vim.api.nvim_buf_set_lines(buffer, title - 1, title, false, { "  title: \"😀 Well done, {{ ${first_name} | upcas }}\"" })
  wait("a finding", function() return #vim.diagnostic.get(buffer) > 0 end)
  local finding
  for _, found in ipairs(vim.diagnostic.get(buffer)) do
    if found.code == "unknown-filter" then finding = found end
  end
  check(finding and finding.message:find("did you mean 'upcase'", 1, true), vim.inspect(vim.diagnostic.get(buffer)))
  local line = vim.api.nvim_buf_get_lines(buffer, title - 1, title, false)[1]
  check(line:sub(finding.col + 1, finding.end_col) == "upcas", "the place of the finding: " .. vim.inspect(finding))

  -- Completion.
  local completion = request("textDocument/completion", at("| upcas", " }}"))
  check(#completion.items == 1 and completion.items[1].label == "upcase", vim.inspect(completion))
  local category = request("textDocument/completion", at("category: ", "lab"))
  check(#category.items == 3, vim.inspect(category))

  -- Hover.
  local hover = request("textDocument/hover", at("categ", "ory: lab"))
  check(hover.contents.value:find("aps.category", 1, true), vim.inspect(hover))

  -- Definition into Info.plist and into Swift.
  local plist = request("textDocument/definition", at("category: ", "lab"))
  check(#plist == 1 and plist[1].uri:find("LabProgress/Info.plist", 1, true), vim.inspect(plist))
  local readers = request("textDocument/definition", at("    next_", "session_name: \"{{"))
  local files = vim.tbl_map(function(place) return place.uri end, readers)
  local swift = vim.tbl_filter(function(uri) return uri:find("%.swift$") end, files)
  check(#swift > 0, "no definition in Swift: " .. vim.inspect(files))

  -- A fix is applied, and nothing else changes.
  local range = { start = { line = title - 1, character = 0 }, ["end"] = { line = title - 1, character = 200 } }
  local actions = request("textDocument/codeAction", {
    textDocument = vim.lsp.util.make_text_document_params(buffer), range = range, context = { diagnostics = {} },
  })
  local fix
  for _, action in ipairs(actions) do
    if action.title == "write 'upcase'" then fix = action end
  end
  check(fix, vim.inspect(actions))
  vim.lsp.util.apply_workspace_edit(fix.edit, client.offset_encoding)
  original[title] = "  title: \"😀 Well done, {{ ${first_name} | upcase }}\""
  local fixed = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  check(vim.deep_equal(fixed, original), "the text after the fix: " .. vim.inspect(fixed))
  wait("the finding's end", function()
    for _, found in ipairs(vim.diagnostic.get(buffer)) do
      if found.code == "unknown-filter" then return false end
    end
    return true
  end)

  -- The server ends with the client, and the file on disk is as it was.
  client.stop()
  wait("the end", function() return client.is_stopped() end)
  io.stdout:write("neovim " .. tostring(vim.version().major) .. "." .. tostring(vim.version().minor) .. ": all right\n")
  vim.cmd("qall!")
end

local ok, message = xpcall(main, debug.traceback)
if not ok then fail(message) end
